package hermit.fake.tenki;

import com.google.protobuf.Timestamp;
import hermit.fake.Box;
import hermit.tenki.wire.SandboxSession;
import hermit.tenki.wire.SessionState;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/// One session: what is said of it, and the machine behind it.
final class FakeSession {
    private final String id = UUID.randomUUID().toString();
    private final SandboxSession.Builder shown;
    private final Map<String, Instant> credentials = new HashMap<>();
    private final Set<Running> running = new HashSet<>();
    private Optional<Box> box = Optional.empty();

    /// Something that ends with the machine.
    interface Running {
        /// `reason`: as an exit frame has it; empty if only the stream breaks.
        void cut(String reason);
    }

    FakeSession(SandboxSession.Builder shown) {
        this.shown = shown.setId(id).setState(SessionState.SESSION_STATE_CREATING);
    }

    String id() {
        return id;
    }

    synchronized SandboxSession shown() {
        return shown.build();
    }

    synchronized SessionState state() {
        return shown.getState();
    }

    /// Changes what is said of it, and wakes whoever waits for that.
    synchronized void change(Consumer<SandboxSession.Builder> change) {
        change.accept(shown);
        notifyAll();
    }

    void become(SessionState state) {
        change(session -> session.setState(state));
    }

    /// Changes the state if it is the expected one.
    synchronized boolean become(SessionState expected, SessionState state) {
        if (shown.getState() != expected) return false;
        become(state);
        return true;
    }

    /// Returns when its state is not `state` any more, or after `within`.
    synchronized void awaitChange(SessionState state, Duration within) throws InterruptedException {
        Instant end = Instant.now().plus(within);
        while (shown.getState() == state) {
            long left = Duration.between(Instant.now(), end).toMillis();
            if (left <= 0) return;
            wait(left);
        }
    }

    synchronized Optional<Box> box() {
        return box;
    }

    /// Hands it its machine; false if it has ended meanwhile and does not want it.
    synchronized boolean box(Box made) {
        if (isOver(shown.getState())) return false;
        box = Optional.of(made);
        return true;
    }

    synchronized Optional<Box> takeBox() {
        var taken = box;
        box = Optional.empty();
        return taken;
    }

    synchronized String newCredential(Instant until) {
        String credential = "session-cert-" + UUID.randomUUID();
        credentials.put(credential, until);
        return credential;
    }

    synchronized boolean accepts(String credential) {
        Instant until = credentials.get(credential);
        return until != null && Instant.now().isBefore(until);
    }

    /// What was handed out is worth nothing any more.
    synchronized void revoke() {
        credentials.clear();
    }

    synchronized boolean add(Running program) {
        return shown.getState() == SessionState.SESSION_STATE_RUNNING && running.add(program);
    }

    synchronized void remove(Running program) {
        running.remove(program);
    }

    void cutAll(String reason) {
        Set<Running> cut;
        synchronized (this) {
            cut = Set.copyOf(running);
            running.clear();
        }
        cut.forEach(each -> each.cut(reason));
    }

    static boolean isOver(SessionState state) {
        return state == SessionState.SESSION_STATE_TERMINATING || state == SessionState.SESSION_STATE_TERMINATED;
    }

    static Timestamp at(Instant instant) {
        return Timestamp.newBuilder()
                .setSeconds(instant.getEpochSecond())
                .setNanos(instant.getNano())
                .build();
    }

    static Instant instant(Timestamp timestamp) {
        return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
    }
}
