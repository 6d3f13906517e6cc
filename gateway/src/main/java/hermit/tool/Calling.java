package hermit.tool;

import hermit.approval.Approval;

/// How a caller wants a call of a tool: nothing of it changes what is carried out.
///
/// - `mostOutput`: how many bytes of each stream of a command the result holds at most. What is left out is found by
///   the command's id, from `stdout_next_offset` and `stderr_next_offset` on.
public record Calling(Watcher watcher, int mostOutput) {
    /// Nobody watches, and the result holds all that is kept.
    public static final Calling PLAIN = new Calling(_ -> {}, Integer.MAX_VALUE);

    /// Told of a call while it is under way, by the thread that carries it out. Must return soon, and not throw.
    @FunctionalInterface
    public interface Watcher {
        /// A person is asked about the call, or has been: as it stands, at first and at each change.
        default void asked(Approval approval) {}

        /// The command runs, and the call waits for its end.
        void running(WatchedCommand command);

        /// Asked before a command begins: whether nobody wants it any more.
        default boolean isCancelled() {
            return false;
        }
    }
}
