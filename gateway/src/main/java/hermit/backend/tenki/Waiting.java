package hermit.backend.tenki;

import hermit.backend.keeper.Scheduler;
import hermit.tenki.wire.GetSessionRequest;
import hermit.tenki.wire.SandboxServiceGrpc;
import hermit.tenki.wire.SandboxSession;
import java.time.Duration;
import java.util.Optional;

/// A bounded time of asking for a session again and again: after 100, 250, 500 and 1000 ms, then every 2 s, as Tenki's
/// own clients do.
final class Waiting {
    private static final int[] WAITS = {100, 250, 500, 1_000, 2_000};

    private final ControlPlane control;
    private final Scheduler scheduler;
    private final String session;
    private final long end;
    private int polls;

    Waiting(ControlPlane control, Scheduler scheduler, String session, Duration within) {
        this.control = control;
        this.scheduler = scheduler;
        this.session = session;
        this.end = scheduler.nanos() + within.toNanos();
    }

    boolean isOver() {
        return left().isZero();
    }

    Duration left() {
        return Duration.ofNanos(Math.max(0, end - scheduler.nanos()));
    }

    /// The session after the next wait. Empty if it could not be seen, for whatever passing reason; a reader that lags
    /// may not even know it yet, which `mayBeUnknown` allows.
    Optional<SandboxSession> poll(boolean mayBeUnknown) throws CallFailed, InterruptedException {
        var wait = Duration.ofMillis(WAITS[Math.min(polls++, WAITS.length - 1)]);
        scheduler.pause(wait.compareTo(left()) < 0 ? wait : left());
        try {
            return Optional.of(control.again(
                            SandboxServiceGrpc.getGetSessionMethod(),
                            GetSessionRequest.newBuilder().setSessionId(session).build())
                    .getSession());
        } catch (CallFailed e) {
            if (e.isPassing() || (mayBeUnknown && e.isNoSession())) return Optional.empty();
            throw e;
        }
    }
}
