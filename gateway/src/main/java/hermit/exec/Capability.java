package hermit.exec;

import java.util.Locale;

/// What a backend can do beyond running a command to its end. A call that needs a missing one is answered with 422
/// `unsupported`.
public enum Capability {
    /// stdin of a running command.
    STDIN,
    SIGNALS,
    /// Commands with a PTY.
    TERMINAL,
    /// Files are read and written from outside, by the keeper in the machine.
    FILES,
    /// A command is found again after the gateway has restarted.
    REATTACH,
    /// A death by memory can be proven.
    MEMORY_PROOF;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
