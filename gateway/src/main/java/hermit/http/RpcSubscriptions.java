package hermit.http;

import hermit.http.EventStream.Event;
import hermit.http.InnerCalls.Outcome;
import hermit.problem.Fields;
import hermit.problem.GatewayException.NotFound;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The streams of events that one connection follows, by numbers of its own. Each has a thread, and counts as a stream
/// of its caller.
final class RpcSubscriptions {
    private static final Logger LOG = LoggerFactory.getLogger(RpcSubscriptions.class);

    private final InnerCalls calls;
    private final AtomicLong last = new AtomicLong();
    private final ConcurrentHashMap<Long, Thread> following = new ConcurrentHashMap<>();
    private volatile boolean closed;

    RpcSubscriptions(InnerCalls calls) {
        this.calls = calls;
    }

    /// Returns when it has been answered: with `{subscription}` before the first event, or with a refusal.
    void begin(RpcExchange exchange, InnerCalls.Wanted wanted) throws InterruptedException {
        long number = last.incrementAndGet();
        var answered = new CountDownLatch(1);
        Thread thread =
                Thread.ofVirtual().name("rpc-subscription").unstarted(() -> follow(exchange, wanted, number, answered));
        following.put(number, thread);
        thread.start();
        if (closed) thread.interrupt();
        answered.await();
    }

    /// From the document `{subscription}`. No event of it is sent afterwards.
    void end(Map<String, Object> document) throws InterruptedException {
        var fields = Fields.of(document);
        long number = fields.required("subscription", fields.integer("subscription", 1, Long.MAX_VALUE), 0L);
        fields.finish();
        Thread thread = following.remove(number);
        if (thread == null) throw new NotFound("There is no such subscription on this connection");
        thread.interrupt();
        thread.join();
    }

    void close() {
        closed = true;
        List.copyOf(following.values()).forEach(Thread::interrupt);
    }

    private void follow(RpcExchange exchange, InnerCalls.Wanted wanted, long number, CountDownLatch answered) {
        try {
            InnerCalls.Begun begun = () -> {
                exchange.answer(Optional.of(Map.of("subscription", number)));
                answered.countDown();
            };
            Outcome end = calls.follow(wanted, begun, event -> send(exchange.peer(), number, event));
            if (answered.getCount() > 0) {
                if (end instanceof Outcome.Refused(var why)) exchange.refuse(RpcMessages.problem(why));
            } else if (following.remove(number) != null) exchange.peer().send(ended(number, end));
        } catch (InterruptedException e) {
            LOG.debug("subscription {} has been ended", number);
        } catch (ClientGone e) {
            LOG.debug("nobody hears subscription {} any more", number);
        } finally {
            following.remove(number);
            answered.countDown();
        }
    }

    private static void send(WebSocketPeer peer, long number, Event event) {
        var params = new LinkedHashMap<String, Object>();
        params.put("subscription", number);
        params.put("event", event.data());
        try {
            peer.send(RpcMessages.notification("event", params));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClientGone();
        }
    }

    private static Map<String, Object> ended(long number, Outcome end) {
        var params = new LinkedHashMap<String, Object>();
        params.put("subscription", number);
        if (end instanceof Outcome.Refused(var why)) params.put("error", RpcMessages.problem(why));
        return RpcMessages.notification("subscription.ended", params);
    }
}
