package hermit.config;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/// A password, key or token. It never shows itself in a log, a message or a record's text: who needs it calls
/// [#reveal], which is easy to find in the code.
public final class Secret {
    private final String value;

    public Secret(String value) {
        if (value.isEmpty()) throw new IllegalArgumentException("A secret must not be empty");
        this.value = value;
    }

    public String reveal() {
        return value;
    }

    /// Takes the same time wherever the difference is.
    @Override
    public boolean equals(Object other) {
        return other instanceof Secret secret && MessageDigest.isEqual(bytes(), secret.bytes());
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    @Override
    public String toString() {
        return "(hidden)";
    }

    private byte[] bytes() {
        return value.getBytes(StandardCharsets.UTF_8);
    }
}
