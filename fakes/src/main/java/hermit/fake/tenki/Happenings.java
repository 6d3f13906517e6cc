package hermit.fake.tenki;

import hermit.tenki.wire.SessionState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What happens to machines without anybody's call: somebody pauses one, its time is up, it is lost. Ids that the fake
/// does not have are an [IllegalArgumentException], and so is what a machine's state does not allow.
public final class Happenings {
    private final Machines machines;

    Happenings(Machines machines) {
        this.machines = machines;
    }

    /// One machine as its provider sees it.
    ///
    /// - `state`: e.g. `RUNNING`.
    public record Seen(String id, String state, Map<String, String> metadata, Instant timeoutAt) {}

    public List<Seen> all() {
        return machines.all().stream().map(Happenings::seen).toList();
    }

    public Optional<Seen> find(String id) {
        return all().stream().filter(each -> each.id().equals(id)).findFirst();
    }

    public void pause(String id) throws InterruptedException {
        act(id, machines::pause);
    }

    public void resume(String id) throws InterruptedException {
        act(id, session -> {
            machines.resume(session);
            session.awaitChange(SessionState.SESSION_STATE_RESUMING, Duration.ofMinutes(1));
        });
    }

    /// From inside: only the disk is left.
    public void shutDown(String id) throws InterruptedException {
        act(id, machines::shutDown);
    }

    public void terminate(String id) throws InterruptedException {
        act(id, session -> machines.terminate(session, "user_terminated"));
    }

    /// Terminated so long ago that not even its end is known.
    public void forget(String id) throws InterruptedException {
        act(id, machines::forget);
    }

    /// Puts its end to so long from now.
    public void endIn(String id, Duration left) throws InterruptedException {
        act(
                id,
                session -> session.change(
                        shown -> shown.setTimeoutAt(FakeSession.at(Instant.now().plus(left)))));
    }

    /// The credentials that were handed out for it are worth nothing any more.
    public void revoke(String id) throws InterruptedException {
        act(id, FakeSession::revoke);
    }

    /// Runs a shell command in it as root; what it printed.
    public String shell(String id, String command) throws InterruptedException {
        try {
            var box = machines.get(id).box();
            return box.orElseThrow(() -> new IllegalArgumentException(id + " has no machine"))
                    .shell("root", command);
        } catch (Refused e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /// Every stream into it breaks, and what was started over one ends; the machine runs on.
    public void cutStreams(String id) throws InterruptedException {
        act(id, session -> session.cutAll(""));
    }

    private interface Act {
        void on(FakeSession session) throws Refused, InterruptedException;
    }

    private void act(String id, Act act) throws InterruptedException {
        try {
            act.on(machines.get(id));
        } catch (Refused e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static Seen seen(FakeSession session) {
        var shown = session.shown();
        return new Seen(
                shown.getId(),
                Machines.word(shown.getState()),
                shown.getMetadataMap(),
                FakeSession.instant(shown.getTimeoutAt()));
    }
}
