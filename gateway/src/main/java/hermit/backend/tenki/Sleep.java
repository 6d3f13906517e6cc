package hermit.backend.tenki;

import hermit.backend.keeper.Scheduler;
import hermit.exec.Progress;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.ProviderError;
import hermit.tenki.wire.PauseSessionRequest;
import hermit.tenki.wire.ResumeSessionRequest;
import hermit.tenki.wire.SandboxServiceGrpc;
import hermit.tenki.wire.SandboxSession;
import hermit.tenki.wire.SessionState;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Pauses sessions and resumes them. What the calls answer is not what counts: the session is looked at until it has
/// become what was wanted, has become something else for good, or the time is over.
final class Sleep {
    private static final int ATTEMPTS = 2;
    /// A resume that was asked for may not be seen at once: reads may be behind.
    private static final Duration STALE_READS = Duration.ofSeconds(3);

    private static final Logger log = LoggerFactory.getLogger(Sleep.class);

    private final ControlPlane control;
    private final Sessions sessions;
    private final TenkiSettings settings;
    private final Scheduler scheduler;

    Sleep(ControlPlane control, Sessions sessions, TenkiSettings settings, Scheduler scheduler) {
        this.control = control;
        this.sessions = sessions;
        this.settings = settings;
        this.scheduler = scheduler;
    }

    /// Empty if it is gone.
    Optional<SandboxSession> resume(String id, Progress progress) throws CallFailed, InterruptedException {
        var waiting = new Waiting(control, scheduler, id, settings.startWithin());
        var session = sessions.find(id);
        int asked = 0;
        boolean seenResuming = false;
        long askedAt = scheduler.nanos();
        while (session.isPresent()) {
            var state = session.get().getState();
            if (SessionStates.runs(session.get())) return session;
            if (SessionStates.isOver(state)) return Optional.empty();
            if (state == SessionState.SESSION_STATE_RESUMING) seenResuming = true;
            boolean stale = asked > 0 && !seenResuming && scheduler.nanos() - askedAt < STALE_READS.toNanos();
            if (SessionStates.isParked(state) && !stale) {
                if (asked == ATTEMPTS)
                    throw new ProviderError("resume sandbox %s: %s".formatted(id, SessionStates.reason(session.get())));
                asked++;
                seenResuming = false;
                askedAt = scheduler.nanos();
                ask(id, progress);
            }
            progress.report("the sandbox is " + SessionStates.word(session.get()));
            session = next(waiting, session);
        }
        return session;
    }

    private void ask(String id, Progress progress) throws CallFailed, InterruptedException {
        try {
            control.once(
                    SandboxServiceGrpc.getResumeSessionMethod(),
                    ResumeSessionRequest.newBuilder().setSessionId(id).build(),
                    settings.callWithin(),
                    progress);
        } catch (CallFailed e) {
            // It may have been done, or its state has changed meanwhile: the next look tells.
            if (!e.isPassing() && !e.isPrecondition() && !e.isNoSession()) throw e;
            log.info("resume sandbox {}: {}", id, e.getMessage());
        }
    }

    /// Nothing to do if it is gone or does not run.
    void pause(String id) throws CallFailed, InterruptedException {
        var waiting = new Waiting(control, scheduler, id, settings.pauseWithin());
        var session = sessions.find(id);
        int asked = 0;
        while (session.isPresent()
                && !SessionStates.isParked(session.get().getState())
                && !SessionStates.isOver(session.get().getState())) {
            if (SessionStates.runs(session.get())) {
                if (asked == ATTEMPTS) throw new ProviderError("pause sandbox %s: it runs again".formatted(id));
                asked++;
                var answered = askToPause(id, waiting.left());
                // The answer says what it has become; only what it does not say is asked for.
                if (answered.filter(each -> !SessionStates.runs(each)).isPresent()) {
                    session = answered;
                    continue;
                }
            }
            session = next(waiting, session);
        }
    }

    private Optional<SandboxSession> askToPause(String id, Duration within) throws CallFailed, InterruptedException {
        try {
            return Optional.of(control.once(
                            SandboxServiceGrpc.getPauseSessionMethod(),
                            PauseSessionRequest.newBuilder().setSessionId(id).build(),
                            within,
                            Progress.NONE)
                    .getSession());
        } catch (CallFailed e) {
            if (!e.isPassing() && !e.isPrecondition() && !e.isNoSession()) throw e;
            log.info("pause sandbox {}: {}", id, e.getMessage());
            return Optional.empty();
        }
    }

    /// The session at the next look at which it could be seen; empty if it is gone.
    private static Optional<SandboxSession> next(Waiting waiting, Optional<SandboxSession> last)
            throws CallFailed, InterruptedException {
        if (waiting.isOver())
            throw new BackendUnavailable("sandbox %s is still %s"
                    .formatted(
                            last.map(SandboxSession::getId).orElse("?"),
                            last.map(SessionStates::word).orElse("?")));
        try {
            var seen = waiting.poll(false);
            return seen.isPresent() ? seen : last;
        } catch (CallFailed e) {
            if (e.isNoSession()) return Optional.empty();
            throw e;
        }
    }
}
