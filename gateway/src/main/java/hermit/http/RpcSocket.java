package hermit.http;

import hermit.http.InnerCalls.Outcome;
import hermit.http.RpcRequest.Malformed;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.GatewayException.RateLimited;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Routes of the gateway as JSON-RPC 2.0: each message is a request, each answer has its id. What is
/// answered at once is answered in order, before the next message is read; what may take long, has a
/// thread of its own, of which there are few. Nothing piles up for a client that does not read: whoever
/// answers it waits.
public final class RpcSocket implements WebSocketSession {
    /// Ends a subscription: `{subscription}`.
    public static final String UNSUBSCRIBE = "events.unsubscribe";

    /// How many calls that may take long are under way at once.
    static final int MOST_AT_ONCE = 16;
    /// As much as the body of most routes.
    static final int LONGEST_MESSAGE = Route.DEFAULT_BODY_LIMIT;

    private static final Logger LOG = LoggerFactory.getLogger(RpcSocket.class);

    private final Map<String, RpcMethod> methods;
    private final InnerCalls calls;
    private final Map<String, String> path;
    private final Semaphore atOnce = new Semaphore(MOST_AT_ONCE);
    private final RpcSubscriptions subscriptions;

    /// `path`: what all calls have in their path, by the request that opened the connection.
    public RpcSocket(List<RpcMethod> methods, InnerCalls calls, Map<String, String> path) {
        this.methods = methods.stream().collect(Collectors.toMap(RpcMethod::name, Function.identity()));
        this.calls = calls;
        this.path = Map.copyOf(path);
        this.subscriptions = new RpcSubscriptions(calls);
    }

    @Override
    public int longestMessage() {
        return LONGEST_MESSAGE;
    }

    @Override
    public void speak(WebSocketPeer peer) throws InterruptedException {
        try {
            new CountDownLatch(1).await(); // until the peer has gone, or must go
        } finally {
            subscriptions.close();
        }
    }

    @Override
    public void hear(WebSocketPeer peer, byte[] bytes) throws InterruptedException {
        var why = RpcMessages.malformed(RpcMessages.INVALID_REQUEST, "Requests are sent as text messages");
        peer.send(RpcMessages.error(RpcId.NONE, why));
    }

    @Override
    public void hear(WebSocketPeer peer, String text) throws InterruptedException {
        try {
            answer(new RpcExchange(peer, RpcRequest.read(text)));
        } catch (Malformed e) {
            peer.send(RpcMessages.error(e.id(), RpcMessages.malformed(e.code(), e.detail())));
        }
    }

    @Override
    public Object refusal(GatewayException why) {
        return RpcMessages.notification("closing", RpcMessages.problem(Problems.of(why)));
    }

    private void answer(RpcExchange exchange) throws InterruptedException {
        RpcRequest request = exchange.request();
        try {
            if (request.method().equals(UNSUBSCRIBE)) {
                subscriptions.end(request.params());
                exchange.answer(Optional.empty());
                return;
            }
            RpcMethod method = methods.get(request.method());
            if (method == null) {
                exchange.refuse(RpcMessages.noSuchMethod());
                return;
            }
            var wanted = method.wanted(request.params(), path);
            switch (method.kind()) {
                case AT_ONCE -> call(exchange, wanted);
                case LATER -> later(exchange, wanted);
                case FOLLOWED -> subscriptions.begin(exchange, wanted);
            }
        } catch (Invalid | RateLimited | GatewayException.NotFound e) {
            exchange.refuse(RpcMessages.problem(Problems.of(e)));
        }
    }

    private void call(RpcExchange exchange, InnerCalls.Wanted wanted) throws InterruptedException {
        switch (calls.call(wanted)) {
            case Outcome.Answered(var body) -> exchange.answer(body);
            case Outcome.Refused(var why) -> exchange.refuse(RpcMessages.problem(why));
        }
    }

    private void later(RpcExchange exchange, InnerCalls.Wanted wanted) {
        if (!atOnce.tryAcquire())
            throw new RateLimited(
                    "%d calls are under way on this connection already".formatted(MOST_AT_ONCE), Duration.ofSeconds(1));
        // It goes on when the client has gone, as a request does.
        Thread.ofVirtual().name("rpc-call").start(() -> {
            try {
                call(exchange, wanted);
            } catch (InterruptedException e) {
                LOG.debug("a call over a WebSocket was given up: the gateway stops");
            } catch (ClientGone e) {
                LOG.debug("nobody hears the answer to a call over a WebSocket");
            } finally {
                atOnce.release();
            }
        });
    }
}
