package hermit.api;

import java.util.Optional;

/// A text message on a terminal's WebSocket, told apart by `type`. The gateway sends all of them, a client
/// [Resize] and `{"type": "takeover"}`.
public sealed interface TerminalMessage {
    String type();

    /// Whether this viewer's keys and sizes count; the first message of all, and sent whenever it changes.
    record Takeover(String type, boolean controller) implements TerminalMessage {
        public Takeover(boolean controller) {
            this("takeover", controller);
        }
    }

    /// The size that the terminal has.
    record Resize(String type, int cols, int rows) implements TerminalMessage {
        public Resize(int cols, int rows) {
            this("resize", cols, rows);
        }
    }

    /// The next `bytes` bytes were printed earlier, the first of them at `offset`. `dropped` bytes before them could
    /// not be held for a viewer that was too slow.
    record Replay(String type, long offset, long bytes, long dropped) implements TerminalMessage {
        public Replay(long offset, long bytes, long dropped) {
            this("replay", offset, bytes, dropped);
        }
    }

    /// The program has ended; nothing follows. The fields are those of [ExecSummary].
    record Exit(String type, Optional<Integer> exitCode, Optional<String> endReason, Optional<String> signal)
            implements TerminalMessage {
        public Exit(Optional<Integer> exitCode, Optional<String> endReason, Optional<String> signal) {
            this("exit", exitCode, endReason, signal);
        }
    }
}
