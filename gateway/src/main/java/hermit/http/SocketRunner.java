package hermit.http;

import hermit.http.RunningRequests.Running;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.RateLimited;
import io.javalin.websocket.WsConfig;
import io.javalin.websocket.WsContext;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs a WebSocket from its opening to its close. The handshake, with everything that could refuse it, has been
/// done by [RouteRunner], which left the [WebSocketSession] for us.
final class SocketRunner {
    private static final Logger LOG = LoggerFactory.getLogger(SocketRunner.class);
    private static final String SESSION = SocketRunner.class.getName() + ".session";
    private static final String OPEN = SocketRunner.class.getName() + ".open";

    /// A message is a few keys, or what was pasted; more of it comes in several.
    static final int MAX_MESSAGE = 256 << 10;
    /// A peer that answers none of our pings for so long is gone: three of them, and a little.
    private static final int SILENT_HEARTBEATS = 4;

    /// How long a peer may take to be told that its connection ends. A right that has gone ends it within 5 s, of which
    /// finding that out may take 2.
    private static final Duration LAST_WORDS = Duration.ofSeconds(1);

    private final Shared shared;

    SocketRunner(Shared shared) {
        this.shared = shared;
    }

    /// Leaves the session for the moment when the connection is open.
    static void leave(io.javalin.http.Context context, WebSocketSession session, Right right, AnsweredRequest opening) {
        context.attribute(SESSION, new Admitted(session, right, opening));
    }

    void configure(WsConfig socket) {
        socket.onConnect(this::connected);
        socket.onMessage(context -> heard(context, context.message()));
        socket.onBinaryMessage(context -> heard(context, context.data()));
        socket.onClose(context -> open(context).ifPresent(Open::gone));
        socket.onError(context -> open(context).ifPresent(Open::gone));
    }

    private void connected(WsContext context) {
        context.session.setIdleTimeout(shared.heartbeat().multipliedBy(SILENT_HEARTBEATS));
        Admitted admitted = context.attribute(SESSION);
        if (admitted == null) throw new IllegalStateException("a WebSocket was opened that no route has let in");
        context.session.setMaxTextMessageSize(admitted.session.longestMessage());
        var peer = new WebSocketPeer(context.session, shared.json());
        var open = new Open(admitted, peer);
        context.attribute(OPEN, open);
        open.thread = Thread.ofVirtual().name("socket").start(() -> speak(open));
    }

    private void speak(Open open) {
        var heart = Thread.ofVirtual().name("heartbeat").unstarted(() -> beat(open.peer, shared.heartbeat()));
        try (Running running = shared.running().enter()) {
            speak(open, running, heart);
        } finally {
            heart.interrupt();
            closed(open.opening);
        }
    }

    private void closed(AnsweredRequest opening) {
        try {
            shared.observer().closed(opening);
        } catch (GatewayException e) {
            LOG.error("The end of the WebSocket of request {} could not be recorded: {}", opening.id(), e.detail());
        }
    }

    private void speak(Open open, Running running, Thread heart) {
        try {
            running.reserveStream(open.right.who().caller());
            running.by(open.right);
            running.startStream();
            heart.start();
            open.session.speak(open.peer);
            open.peer.close(WebSocketPeer.NORMAL, "");
        } catch (InterruptedException e) {
            var refusal = running.refusal();
            if (refusal.isPresent()) refuse(open, refusal.get(), WebSocketPeer.NOT_ALLOWED);
            else open.peer.close(WebSocketPeer.GOING_AWAY, "the gateway is shutting down");
        } catch (ClientGone e) {
            LOG.debug("a WebSocket's peer has gone");
        } catch (RateLimited e) {
            refuse(open, e, WebSocketPeer.TRY_LATER);
        } catch (GatewayException e) {
            GatewayException why = running.insteadOf(e);
            refuse(open, why, why == e ? WebSocketPeer.FAILED : WebSocketPeer.NOT_ALLOWED);
        } catch (RuntimeException | Error e) {
            LOG.error("A WebSocket failed", e);
            open.peer.close(WebSocketPeer.FAILED, "something went wrong inside the gateway");
        }
    }

    /// A peer that does not even read why is not waited for: it must not keep what it may not have any more.
    private static void refuse(Open open, GatewayException e, int code) {
        try {
            if (open.peer.sendWithin(LAST_WORDS, open.session.refusal(e))) {
                open.peer.close(code, e.code().wire());
                return;
            }
        } catch (InterruptedException | ClientGone gone) {
            LOG.debug("nobody hears that a WebSocket ends: {}", e.detail());
        }
        open.peer.disconnect();
    }

    private void beat(WebSocketPeer peer, Duration every) {
        try {
            while (true) {
                shared.world().pause().of(every);
                peer.ping();
            }
        } catch (ClientGone | InterruptedException e) {
            LOG.trace("a WebSocket's heartbeat has ended");
        }
    }

    private void heard(WsContext context, String text) {
        open(context).ifPresent(open -> heard(open, () -> open.session.hear(open.peer, text)));
    }

    private void heard(WsContext context, ByteBuffer data) {
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        open(context).ifPresent(open -> heard(open, () -> open.session.hear(open.peer, bytes)));
    }

    private static void heard(Open open, Hearing hearing) {
        try {
            try {
                hearing.hear();
            } catch (GatewayException e) {
                open.peer.send(open.session.refusal(e));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            open.peer.close(WebSocketPeer.GOING_AWAY, "the gateway is shutting down");
        } catch (ClientGone e) {
            LOG.debug("a WebSocket's peer has gone");
        } catch (RuntimeException e) {
            LOG.error("A message on a WebSocket could not be dealt with", e);
            open.peer.close(WebSocketPeer.FAILED, "something went wrong inside the gateway");
        }
    }

    private static Optional<Open> open(WsContext context) {
        return Optional.ofNullable(context.attribute(OPEN));
    }

    @FunctionalInterface
    private interface Hearing {
        void hear() throws InterruptedException;
    }

    /// A session that may begin, and by what right.
    private record Admitted(WebSocketSession session, Right right, AnsweredRequest opening) {}

    /// A connection that is open.
    private static final class Open {
        private final WebSocketSession session;
        private final Right right;
        private final AnsweredRequest opening;
        private final WebSocketPeer peer;
        private volatile @Nullable Thread thread;

        private Open(Admitted admitted, WebSocketPeer peer) {
            this.session = admitted.session;
            this.right = admitted.right;
            this.opening = admitted.opening;
            this.peer = peer;
        }

        private void gone() {
            peer.gone();
            Thread speaking = thread;
            if (speaking != null) speaking.interrupt();
        }
    }
}
