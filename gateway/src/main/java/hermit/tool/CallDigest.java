package hermit.tool;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// A digest over several values, each with its length before it: no two lists of values look the same.
final class CallDigest {
    private final MessageDigest digest;

    CallDigest() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    CallDigest add(String text) {
        return add(text.getBytes(StandardCharsets.UTF_8));
    }

    CallDigest add(byte[] bytes) {
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
        digest.update(bytes);
        return this;
    }

    /// In hex.
    String finish() {
        return HexFormat.of().formatHex(digest.digest());
    }
}
