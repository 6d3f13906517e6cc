package hermit.identity;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

/// Secrets that the gateway gives out: 256 random bits each, of which it keeps the digest.
public final class Secrets {
    private static final int BYTES = 32;

    private Secrets() {}

    /// `random` must be one that nobody can foresee.
    public static String fresh(String prefix, RandomGenerator random) {
        byte[] bytes = new byte[BYTES];
        random.nextBytes(bytes);
        return prefix + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /// SHA-256 in hex. A secret of 256 random bits needs no salt and no slow hash: nobody can try them all.
    public static String digest(String secret) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
