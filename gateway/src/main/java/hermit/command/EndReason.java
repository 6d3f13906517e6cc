package hermit.command;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

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

    /// Those that tell of no known end.
    public static final Set<EndReason> LOST =
            Collections.unmodifiableSet(EnumSet.of(SANDBOX_LOST, TRANSPORT_LOST, GATEWAY_RESTARTED));

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
