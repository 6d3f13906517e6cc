package hermit.tool;

import hermit.command.LiveExec;

/// How a caller wants a call of a tool: nothing of it changes what is carried out.
public record Calling(Watcher watcher) {
    /// Nobody watches.
    public static final Calling PLAIN = new Calling(_ -> {});

    /// Told of a call while it is under way, by the thread that carries it out. Must return soon, and not throw.
    @FunctionalInterface
    public interface Watcher {
        /// The command runs, and the call waits for its end.
        void running(LiveExec exec);

        /// Asked before a command begins: whether nobody wants it any more.
        default boolean isCancelled() {
            return false;
        }
    }
}
