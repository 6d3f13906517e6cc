package hermit.lifecycle;

import hermit.exec.LifecycleSettings.Stop;
import hermit.sandbox.EffectiveLifecycle;
import java.time.Instant;

/// Decides whether an unused machine has been idle for long enough. Knows no clock and does nothing.
public final class IdlePolicy {
    private IdlePolicy() {}

    /// `lastUsed`: when the last command, stream or terminal ended. Only asked about machines that nobody uses.
    ///
    /// A machine that is shut down with the last session is stopped then, and not while one is open. If it was
    /// in use at that moment, or is used without any session, it must still come to rest some time: the idle
    /// timeout counts once no session is open.
    public static boolean shouldStop(EffectiveLifecycle lifecycle, boolean sessionOpen, Instant lastUsed, Instant now) {
        boolean idle = !now.isBefore(lastUsed.plus(lifecycle.idleTimeout()));
        return idle && (lifecycle.stop().value() == Stop.IDLE || !sessionOpen);
    }
}
