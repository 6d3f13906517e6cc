package hermit.backend.docker;

/// No keeper answers in a container that was running a moment ago. Never leaves this package.
final class NoKeeper extends RuntimeException {
    private final boolean running;

    private NoKeeper(String message, Throwable cause, boolean running) {
        super(message, cause);
        this.running = running;
    }

    /// The container runs on, but its keeper cannot be reached.
    static NoKeeper silent(String name, String reason, Throwable cause) {
        return new NoKeeper(
                "container %s runs, but its keeper does not answer: %s".formatted(name, reason), cause, true);
    }

    /// The container has ended, was paused, or is gone. `how` tells what is known of that.
    static NoKeeper ended(String name, String how, Throwable cause) {
        return new NoKeeper("container %s did not stay up: %s".formatted(name, how), cause, false);
    }

    boolean running() {
        return running;
    }
}
