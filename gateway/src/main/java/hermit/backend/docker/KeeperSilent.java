package hermit.backend.docker;

/// A container runs, and its keeper does not answer. Never leaves this package.
final class KeeperSilent extends RuntimeException {
    KeeperSilent(String message, Throwable cause) {
        super(message, cause);
    }
}
