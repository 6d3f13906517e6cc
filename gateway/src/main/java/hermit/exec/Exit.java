package hermit.exec;

import java.time.Duration;
import java.util.Optional;

/// How a command ended. One of these is the outcome of every command that was started; none is ever guessed.
public sealed interface Exit {
    /// It ended by itself.
    record Exited(int code) implements Exit {}

    /// A signal that the gateway did not send ended it.
    record Signaled(int signal) implements Exit {}

    /// Its own budget ran out, and nothing of it is left.
    record TimedOut() implements Exit {}

    /// Somebody cancelled it, and nothing of it is left. `killed`: it had to be killed after the grace.
    record Cancelled(boolean killed) implements Exit {}

    /// The kernel killed it for memory: the cgroup's counter rose while it ran.
    record OomKilled() implements Exit {}

    /// The machine went away under it.
    record SandboxLost(String detail) implements Exit {}

    /// No answer came by its budget plus [ExecBackend#GRACE]. What it did is unknown.
    record TransportLost(String detail) implements Exit {}

    /// The end of a command with what was counted.
    ///
    /// - `stdoutBytes`, `stderrBytes`: all that it printed, whether delivered or not.
    /// - `oomKills`: kills for memory in the sandbox while it ran, whoever was hit.
    /// - `disk`: empty where the sandbox has no limit on its workspace, or it is not known.
    record End(
            Exit exit, long stdoutBytes, long stderrBytes, Duration duration, long oomKills, Optional<DiskUse> disk) {
        public End(Exit exit, long stdoutBytes, long stderrBytes, Duration duration, long oomKills) {
            this(exit, stdoutBytes, stderrBytes, duration, oomKills, Optional.empty());
        }
    }
}
