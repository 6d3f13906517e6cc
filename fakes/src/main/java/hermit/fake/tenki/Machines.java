package hermit.fake.tenki;

import hermit.fake.Box;
import hermit.fake.FakeFailure;
import hermit.fake.Fault;
import hermit.fake.Faults;
import hermit.tenki.wire.SandboxSession;
import hermit.tenki.wire.SessionState;
import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/// All sessions, and what happens to their machines. Works in the background as the real one does, whoever asked.
final class Machines implements AutoCloseable {
    static final String USER = "tenki";
    static final String HOME = "/home/tenki";

    private static final long MEBIBYTE = 1L << 20;
    private static final Duration CAPTURED_WITHIN = Duration.ofMinutes(1);
    private static final Duration LOOK_FOR_THE_EXPIRED = Duration.ofMillis(250);

    private final TenkiFakeSettings settings;
    private final Faults faults;
    private final Map<String, FakeSession> sessions = new ConcurrentHashMap<>();
    private final Thread sweeper;

    Machines(TenkiFakeSettings settings, Faults faults) {
        this.settings = settings;
        this.faults = faults;
        this.sweeper = Thread.ofVirtual().name("expire").start(this::sweep);
    }

    List<FakeSession> all() {
        return List.copyOf(sessions.values());
    }

    FakeSession get(String id) throws Refused {
        try {
            if (!UUID.fromString(id).toString().equals(id)) throw new IllegalArgumentException(id);
        } catch (IllegalArgumentException e) {
            throw new Refused(Status.Code.INVALID_ARGUMENT, "validation error: session_id: value must be a valid UUID");
        }
        var session = sessions.get(id);
        if (session == null) throw new Refused(Status.Code.NOT_FOUND, "session not found");
        return session;
    }

    FakeSession create(SandboxSession.Builder shown, Map<String, String> env) {
        var session = new FakeSession(shown);
        sessions.put(session.id(), session);
        background("start", session, () -> start(session, env));
        return session;
    }

    private void start(FakeSession session, Map<String, String> env) throws InterruptedException {
        var fault = struck("start");
        if (fault.equals("fails")) {
            session.change(shown -> shown.setState(SessionState.SESSION_STATE_TERMINATED)
                    .setTerminalError("provisioning failed")
                    .setTerminatedAt(FakeSession.at(Instant.now())));
            return;
        }
        var box = Box.start(new Box.Spec(
                settings.image(),
                "tenki",
                USER,
                env,
                OptionalLong.of(session.shown().getMemoryMb() * MEBIBYTE)));
        if (!session.box(box)) {
            box.remove();
            return;
        }
        if (session.become(SessionState.SESSION_STATE_CREATING, SessionState.SESSION_STATE_RUNNING))
            session.change(shown -> shown.setReadyAt(FakeSession.at(Instant.now())));
    }

    /// Returns when the capture is done or has failed.
    void pause(FakeSession session) throws Refused, InterruptedException {
        if (!session.become(SessionState.SESSION_STATE_RUNNING, SessionState.SESSION_STATE_PAUSING))
            throw wrongState(session);
        background("capture", session, () -> capture(session, false));
        session.awaitChange(SessionState.SESSION_STATE_PAUSING, CAPTURED_WITHIN);
    }

    /// As if the machine had been shut down from inside.
    void shutDown(FakeSession session) throws Refused, InterruptedException {
        if (!session.become(SessionState.SESSION_STATE_RUNNING, SessionState.SESSION_STATE_PAUSING))
            throw wrongState(session);
        capture(session, true);
    }

    private void capture(FakeSession session, boolean diskOnly) throws InterruptedException {
        if (struck("capture").equals("rolls_back")) {
            session.become(SessionState.SESSION_STATE_RUNNING);
            return;
        }
        session.cutAll("session_terminated:paused");
        session.revoke();
        var box = session.box();
        if (box.isEmpty()) return;
        if (diskOnly) box.get().stop();
        else box.get().pause();
        session.change(shown -> {
            if (shown.getState() != SessionState.SESSION_STATE_PAUSING) return;
            shown.setState(diskOnly ? SessionState.SESSION_STATE_USER_SHUTDOWN : SessionState.SESSION_STATE_PAUSED);
            shown.setPausedAt(FakeSession.at(Instant.now()));
            if (!diskOnly) shown.setPauseSnapshotId(UUID.randomUUID().toString());
        });
    }

    /// Returns at once.
    void resume(FakeSession session) throws Refused {
        var stopped = session.state();
        if (stopped != SessionState.SESSION_STATE_PAUSED && stopped != SessionState.SESSION_STATE_USER_SHUTDOWN)
            throw wrongState(session);
        if (!session.become(stopped, SessionState.SESSION_STATE_RESUMING)) throw wrongState(session);
        background("restore", session, () -> restore(session, stopped));
    }

    private void restore(FakeSession session, SessionState from) throws InterruptedException {
        if (struck("restore").equals("falls_back")) {
            session.change(shown -> shown.setState(from).setLastResumeError("no capacity to restore the snapshot"));
            return;
        }
        var box = session.box();
        if (box.isEmpty()) return;
        if (from == SessionState.SESSION_STATE_USER_SHUTDOWN) box.get().start();
        else box.get().unpause();
        box.get().shell("root", "find /tmp -mindepth 1 -delete");
        session.change(shown -> {
            if (shown.getState() != SessionState.SESSION_STATE_RESUMING) return;
            // The time that it was away is not taken from its life.
            var away = Duration.between(FakeSession.instant(shown.getPausedAt()), Instant.now());
            shown.setTimeoutAt(
                    FakeSession.at(FakeSession.instant(shown.getTimeoutAt()).plus(away)));
            shown.clearPausedAt().clearPauseSnapshotId().setState(SessionState.SESSION_STATE_RUNNING);
        });
    }

    /// `cause`: a word, e.g. `user_terminated`.
    void terminate(FakeSession session, String cause) throws InterruptedException {
        synchronized (session) {
            if (FakeSession.isOver(session.state())) return;
            session.become(SessionState.SESSION_STATE_TERMINATING);
        }
        session.cutAll("session_terminated:" + cause);
        session.revoke();
        var box = session.takeBox();
        if (box.isPresent()) box.get().remove();
        session.change(shown ->
                shown.setState(SessionState.SESSION_STATE_TERMINATED).setTerminatedAt(FakeSession.at(Instant.now())));
    }

    /// Not even its end is remembered.
    void forget(FakeSession session) throws InterruptedException {
        terminate(session, "user_terminated");
        sessions.remove(session.id());
    }

    private Refused wrongState(FakeSession session) {
        return new Refused(
                Status.Code.FAILED_PRECONDITION,
                FakeSession.isOver(session.state())
                        ? "session is terminated"
                        : "session is not in the right state (state=%s)".formatted(word(session.state())));
    }

    static String word(SessionState state) {
        return state.name().substring("SESSION_STATE_".length());
    }

    /// Waits where a delay was asked for; the name of another special fault, or nothing.
    private String struck(String operation) throws InterruptedException {
        while (true) {
            var kind = faults.next(operation);
            switch (kind.orElse(new Fault.Kind.Special(""))) {
                case Fault.Kind.Delay(var by) -> Thread.sleep(by);
                case Fault.Kind.Special(var name) -> {
                    return name;
                }
                default -> throw new FakeFailure("%s cannot meet %s".formatted(operation, kind));
            }
        }
    }

    private interface Work {
        void run() throws InterruptedException;
    }

    private void background(String what, FakeSession session, Work work) {
        Thread.ofVirtual().name(what).start(() -> {
            try {
                work.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (FakeFailure e) {
                session.change(shown -> shown.setState(SessionState.SESSION_STATE_TERMINATED)
                        .setTerminalError("%s: %s".formatted(what, e.getMessage())));
            }
        });
    }

    private void sweep() {
        try {
            while (true) {
                Thread.sleep(LOOK_FOR_THE_EXPIRED);
                for (var session : sessions.values()) {
                    var shown = session.shown();
                    if (shown.getState() == SessionState.SESSION_STATE_RUNNING
                            && shown.hasTimeoutAt()
                            && Instant.now().isAfter(FakeSession.instant(shown.getTimeoutAt())))
                        terminate(session, "max_duration");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        sweeper.interrupt();
        for (var session : sessions.values()) {
            session.become(SessionState.SESSION_STATE_TERMINATED);
            session.cutAll("session_terminated:fake_closed");
            session.takeBox().ifPresent(Box::close);
        }
    }
}
