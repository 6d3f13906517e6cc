package hermit.exec;

import java.io.OutputStream;

/// A command that has been started, or found again.
public interface RunningCommand {
    /// Waits for the end, which comes after all output has been given to the sink. May be called by several threads,
    /// and again.
    Exit.End await() throws InterruptedException;

    /// TERM to the whole tree, KILL after [ExecBackend#KILL_GRACE]. Returns at once; may come at any moment, and
    /// twice.
    void cancel();

    /// Sends a signal to the command's process group. A command that has ended ignores it.
    void signal(int signal);

    /// Where to write its stdin; blocks while the command does not read, and closing it closes the
    /// command's stdin. Throws [java.io.IOException] once nobody reads any more.
    OutputStream stdin();

    void resize(Command.Terminal size);

    /// Stops giving output to the sink; the command goes on. [#await] then throws [IllegalStateException].
    void detach();
}
