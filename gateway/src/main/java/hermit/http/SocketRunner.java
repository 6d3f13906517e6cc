package hermit.http;

import hermit.api.SocketError;
import hermit.http.RunningRequests.Running;
import hermit.problem.GatewayException;
import io.javalin.websocket.WsConfig;
import io.javalin.websocket.WsContext;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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

    private final RouteRunner.Shared shared;

    SocketRunner(RouteRunner.Shared shared) {
        this.shared = shared;
    }

    /// Leaves the session for the moment when the connection is open.
    static void leave(io.javalin.http.Context context, WebSocketSession session) {
        context.attribute(SESSION, session);
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
        WebSocketSession session = context.attribute(SESSION);
        if (session == null) throw new IllegalStateException("a WebSocket was opened that no route has let in");
        var peer = new WebSocketPeer(context.session, shared.json());
        var open = new Open(session, peer);
        context.attribute(OPEN, open);
        open.thread = Thread.ofVirtual().name("socket").start(() -> speak(open));
    }

    private void speak(Open open) {
        var heart = Thread.ofVirtual().name("heartbeat").unstarted(() -> beat(open.peer, shared.heartbeat()));
        try (Running running = shared.running().enter()) {
            if (!running.reserveStream()) {
                open.peer.close(WebSocketPeer.TRY_LATER, "too many streams are open");
                return;
            }
            running.startStream();
            heart.start();
            open.session.speak(open.peer);
            open.peer.close(WebSocketPeer.NORMAL, "");
        } catch (InterruptedException e) {
            open.peer.close(WebSocketPeer.GOING_AWAY, "the gateway is shutting down");
        } catch (ClientGone e) {
            LOG.debug("a WebSocket's peer has gone");
        } catch (GatewayException e) {
            refuse(open, e);
        } catch (RuntimeException | Error e) {
            LOG.error("A WebSocket failed", e);
            open.peer.close(WebSocketPeer.FAILED, "something went wrong inside the gateway");
        } finally {
            heart.interrupt();
        }
    }

    private static void refuse(Open open, GatewayException e) {
        try {
            open.peer.send(SocketError.of(e.code().wire(), e.detail()));
        } catch (InterruptedException | ClientGone gone) {
            LOG.debug("nobody hears that a WebSocket ends: {}", e.detail());
        }
        open.peer.close(WebSocketPeer.FAILED, e.code().wire());
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
        open(context)
                .ifPresent(open -> heard(
                        open,
                        () -> open.session.hear(open.peer, StrictJson.object(text.getBytes(StandardCharsets.UTF_8)))));
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
                open.peer.send(SocketError.of(e.code().wire(), e.detail()));
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

    /// A connection that is open.
    private static final class Open {
        private final WebSocketSession session;
        private final WebSocketPeer peer;
        private volatile @Nullable Thread thread;

        private Open(WebSocketSession session, WebSocketPeer peer) {
            this.session = session;
            this.peer = peer;
        }

        private void gone() {
            peer.gone();
            Thread speaking = thread;
            if (speaking != null) speaking.interrupt();
        }
    }
}
