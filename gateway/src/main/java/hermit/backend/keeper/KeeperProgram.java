package hermit.backend.keeper;

import hermit.problem.GatewayException.Unsupported;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// The keeper's binary for the architecture of a machine.
///
/// - `architecture`: which it is for, e.g. `amd64`.
/// - `digest`: its SHA-256 in hex. It names what is made from it, so that an upgrade of the gateway brings a new
/// keeper.
@SuppressWarnings("ArrayRecordComponent")
public record KeeperProgram(String architecture, byte[] bytes, String digest) {
    private static final int SHORT = 16;

    /// Throws [Unsupported] for an architecture that there is no keeper for.
    public static KeeperProgram of(KeeperPrograms programs, String architecture) {
        byte[] bytes = programs.forArchitecture(architecture)
                .orElseThrow(() ->
                        new Unsupported("the sandbox's machine is of the kind %s, for which this gateway has no keeper"
                                .formatted(architecture)));
        return new KeeperProgram(architecture, bytes, digest(bytes));
    }

    public static String digest(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    public String shortDigest() {
        return shortened(digest);
    }

    /// Enough of a digest for a name.
    public static String shortened(String digest) {
        return digest.substring(0, SHORT);
    }
}
