package hermit.command;

import java.util.Locale;

/// Why a command ended. A closed set: product code, not prose.
public enum EndReason {
    EXITED,
    SIGNALED,
    TIMED_OUT,
    CANCELLED,
    OOM_KILLED,
    SANDBOX_LOST,
    TRANSPORT_LOST,
    GATEWAY_RESTARTED,
    NOT_STARTED;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
