package hermit.exec;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One command, checked and complete.
///
/// - `cwd`: absolute; empty means the agent home.
/// - `env`: on top of the sandbox's own environment.
/// - `timeout`: empty means that no deadline is set.
/// - `keep`: how many bytes of each stream's beginning the backend should keep for a gateway that comes back.
public record Command(
        ExecId id,
        Program program,
        Optional<String> cwd,
        Map<String, String> env,
        Stdin stdin,
        Optional<Duration> timeout,
        boolean login,
        Optional<Terminal> terminal,
        int keep,
        Pace pace) {

    /// What to run.
    public sealed interface Program {
        /// Text for `sh -c`.
        record Shell(String text) implements Program {}

        /// An exact argument list, no shell in between.
        record Argv(List<String> arguments) implements Program {
            public Argv {
                arguments = List.copyOf(arguments);
                if (arguments.isEmpty()) throw new IllegalArgumentException("no arguments");
            }
        }
    }

    public sealed interface Stdin {
        /// Empty and closed.
        record Closed() implements Stdin {}

        /// These bytes, then closed. The array is not copied: nobody changes it.
        @SuppressWarnings("ArrayRecordComponent")
        record Bytes(byte[] bytes) implements Stdin {}

        /// Written through [RunningCommand#stdin] and closed by the caller.
        record Open() implements Stdin {}
    }

    /// A PTY of this size. Its output is all stdout.
    public record Terminal(int cols, int rows) {
        /// Larger than any screen, and what fits in the two bytes that the kernel has for it.
        public static final int MOST = 1_000;

        public Terminal {
            if (cols < 1 || cols > MOST || rows < 1 || rows > MOST)
                throw new IllegalArgumentException("terminal of %dx%d".formatted(cols, rows));
        }
    }

    /// What happens when the sink does not keep up: the command waits for it (`HELD`), or the oldest
    /// output is dropped for it.
    public enum Pace {
        HELD,
        FREE
    }

    public Command {
        env = Map.copyOf(env);
    }
}
