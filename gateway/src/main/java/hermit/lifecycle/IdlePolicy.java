package hermit.lifecycle;

import hermit.exec.LifecycleSettings.Stop;
import hermit.sandbox.EffectiveLifecycle;
import java.time.Instant;

/// Decides whether an unused machine has been idle for long enough. Knows no clock and does nothing.
public final class IdlePolicy {
    private IdlePolicy() {}

    /// `lastUsed`: when the last command, stream or terminal ended. Only asked about machines that nobody uses.
    public static boolean shouldStop(EffectiveLifecycle lifecycle, Instant lastUsed, Instant now) {
        return lifecycle.stop().value() == Stop.IDLE && !now.isBefore(lastUsed.plus(lifecycle.idleTimeout()));
    }
}
