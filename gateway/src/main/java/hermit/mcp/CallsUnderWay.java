package hermit.mcp;

import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.GatewayException.RateLimited;
import hermit.session.Author;
import hermit.session.SessionId;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/// The calls that are being carried out, each by the id of its request, and how many there may be: a client that has
/// gone away leaves its calls behind, so that its connections bound nothing.
final class CallsUnderWay implements AutoCloseable {
    /// More than any client has under way at once; what is beyond is a client gone wild.
    static final int MOST_OF_A_SESSION = 64;

    /// Of one caller's in all sessions, of which there may be any number. Not for the admin.
    static final int MOST_OF_A_CALLER = 4 * MOST_OF_A_SESSION;

    /// How long calls that were interrupted may take to say what became of them.
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Key, UnderWay> calls = new HashMap<>();
    private boolean closed;

    /// A client's request: ids are the client's own, each used once in its session.
    record Key(SessionId session, Object requestId) {}

    private record UnderWay(Call call, Author by, Thread thread) {}

    /// Carries a call out on a thread of its own. Throws [Invalid] while another request of this id is under way,
    /// [RateLimited] if as many are as there may be, and [BackendUnavailable] once this is closed.
    ///
    /// `work`: says how the call ended, and throws nothing.
    void begin(Key key, Call call, Author by, Supplier<Call.End> work) {
        var thread = Thread.ofVirtual().name("mcp-call").unstarted(() -> {
            Call.End end = work.get();
            over(key); // before anybody is told: whoever has the answer may use the id again
            call.ended(end);
        });
        lock.lock();
        try {
            requireRoom(key, by);
            calls.put(key, new UnderWay(call, by, thread));
            thread.start();
        } finally {
            lock.unlock();
        }
    }

    Optional<Call> find(Key key) {
        lock.lock();
        try {
            return Optional.ofNullable(calls.get(key)).map(UnderWay::call);
        } finally {
            lock.unlock();
        }
    }

    /// Interrupts what is under way, and waits until it has written what there is to write.
    @Override
    public void close() {
        List<Thread> threads;
        lock.lock();
        try {
            closed = true;
            threads = calls.values().stream().map(UnderWay::thread).toList();
        } finally {
            lock.unlock();
        }
        threads.forEach(Thread::interrupt);
        long deadline = System.nanoTime() + LAST_WORDS.toNanos();
        try {
            for (Thread each : threads) each.join(Duration.ofNanos(deadline - System.nanoTime()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // whoever is in a hurry does not wait
        }
    }

    static BackendUnavailable closing() {
        return new BackendUnavailable("The gateway is shutting down");
    }

    private void requireRoom(Key key, Author by) {
        if (closed) throw closing();
        if (calls.containsKey(key)) throw new Invalid("id", "another request with this id is under way");
        long ofSession = calls.keySet().stream()
                .filter(each -> each.session.equals(key.session))
                .count();
        if (ofSession >= MOST_OF_A_SESSION) throw tooMany("%d calls of this session".formatted(ofSession));
        if (by instanceof Author.Admin) return;
        long ofCaller =
                calls.values().stream().filter(each -> each.by.equals(by)).count();
        if (ofCaller >= MOST_OF_A_CALLER) throw tooMany("%d of your calls".formatted(ofCaller));
    }

    private static RateLimited tooMany(String which) {
        return new RateLimited(which + " are under way already", Duration.ofSeconds(1));
    }

    private void over(Key key) {
        lock.lock();
        try {
            calls.remove(key);
        } finally {
            lock.unlock();
        }
    }
}
