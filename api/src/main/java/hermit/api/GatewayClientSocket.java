package hermit.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.GatewayClient.Answer;
import hermit.api.GatewayClientException.Refused;
import hermit.api.GatewayClientException.Unreachable;
import hermit.api.GatewayClientException.Unreachable.Stage;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One WebSocket of the gateway. One thread reads it; any thread may send or close. A connection over which
/// nothing comes is pinged, and counts as broken when there is no answer either. The gateway is never more
/// than one frame ahead of the reader, so that a slow reader slows it down.
public final class GatewayClientSocket implements AutoCloseable {
    /// After so long without a word the other side is asked whether it is there; after as long again it is
    /// not.
    private static final Duration SILENCE = Duration.ofSeconds(20);

    private static final Duration HANDSHAKE = Duration.ofSeconds(60);
    private static final Duration FAREWELL = Duration.ofSeconds(2);
    /// Control messages have a line or two.
    private static final int MOST_TEXT = 64 << 10;

    /// What the JDK reports for a connection that just ended (RFC 6455, section 7.1.5).
    private static final int NOT_CLOSED = 1006;

    /// What comes.
    public sealed interface Frame {
        /// As the sender cut them, or smaller.
        @SuppressWarnings("ArrayRecordComponent")
        record Bytes(byte[] bytes) implements Frame {}

        record Message(JsonNode document) implements Frame {}

        /// The gateway has closed the connection, in order. Nothing follows.
        record Closed(int code, String reason) implements Frame {}
    }

    /// What the connection's own thread hands to the reader.
    private sealed interface Arrival {
        record Came(Frame frame) implements Arrival {}

        /// A ping, or the answer to one: nothing to read, and a sign of life.
        record Alive() implements Arrival {}

        record Broke(Throwable cause) implements Arrival {}
    }

    private final HttpClient client;
    private final WebSocket socket;
    private final BlockingQueue<Arrival> arrivals;
    private final Duration silence;
    private final ReentrantLock sending = new ReentrantLock();
    private boolean pinged;

    private GatewayClientSocket(
            HttpClient client, WebSocket socket, BlockingQueue<Arrival> arrivals, Duration silence) {
        this.client = client;
        this.socket = socket;
        this.arrivals = arrivals;
        this.silence = silence;
    }

    static GatewayClientSocket open(URI address, Optional<String> token, Duration connect)
            throws GatewayClientException, InterruptedException {
        return open(address, token, connect, SILENCE);
    }

    static GatewayClientSocket open(URI address, Optional<String> token, Duration connect, Duration silence)
            throws GatewayClientException, InterruptedException {
        // Redirects are not followed unless asked for: the token would go to wherever they say.
        var client = HttpClient.newBuilder()
                .connectTimeout(connect)
                .proxy(HttpClient.Builder.NO_PROXY)
                .build();
        var builder = client.newWebSocketBuilder().connectTimeout(HANDSHAKE);
        token.ifPresent(secret -> builder.header("Authorization", "Bearer " + secret));
        var arrivals = new LinkedBlockingQueue<Arrival>();
        // http becomes ws, and https becomes wss.
        URI ws = URI.create(address.toString().replaceFirst("^http", "ws"));
        var opening = builder.buildAsync(ws, new Incoming(arrivals));
        try {
            return new GatewayClientSocket(client, opening.get(), arrivals, silence);
        } catch (ExecutionException e) {
            client.shutdownNow();
            throw refused(address, e.getCause() == null ? e : e.getCause());
        } catch (InterruptedException e) {
            opening.cancel(true);
            client.shutdownNow();
            throw e;
        }
    }

    private static GatewayClientException refused(URI address, Throwable cause) {
        var gateway = address.getScheme() + "://" + address.getAuthority();
        if (cause instanceof WebSocketHandshakeException e) {
            int status = e.getResponse().statusCode();
            Object body = e.getResponse().body();
            var text = body instanceof String each ? each : "";
            var answer = new Answer(status, GatewayClient.parse(text.getBytes(StandardCharsets.UTF_8)));
            return new Refused(status, GatewayClient.problem(gateway, answer));
        }
        boolean nobody = cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException;
        return new Unreachable(
                nobody ? Stage.CONNECTING : Stage.BROKEN,
                "No answer from the gateway at %s: %s".formatted(gateway, reason(cause)),
                cause);
    }

    /// The next frame, waited for as long as the other side is there.
    public Frame next() throws Unreachable, InterruptedException {
        while (true) {
            Arrival arrival = arrivals.poll(silence.toNanos(), TimeUnit.NANOSECONDS);
            if (arrival == null) {
                if (pinged) throw new Unreachable(Stage.WAITING, "The gateway does not answer any more");
                pinged = true;
                send(() -> socket.sendPing(ByteBuffer.allocate(0)));
                continue;
            }
            pinged = false;
            socket.request(1);
            switch (arrival) {
                case Arrival.Came(Frame frame) -> {
                    return frame;
                }
                case Arrival.Alive _ -> {}
                case Arrival.Broke(Throwable cause) ->
                    throw new Unreachable(Stage.BROKEN, "The connection broke: " + reason(cause), cause);
            }
        }
    }

    /// Sends one binary frame; returns when the network has taken it.
    public void send(byte[] bytes) throws Unreachable, InterruptedException {
        send(() -> socket.sendBinary(ByteBuffer.wrap(bytes), true));
    }

    /// Sends one text frame.
    public void send(JsonNode document) throws Unreachable, InterruptedException {
        send(() -> socket.sendText(JsonTree.write(document), true));
    }

    /// The JDK's socket takes one message at a time, and throws at a second one.
    private void send(Supplier<CompletableFuture<WebSocket>> message) throws Unreachable, InterruptedException {
        sending.lockInterruptibly();
        try {
            message.get().get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new Unreachable(Stage.BROKEN, "The connection broke: " + reason(cause), cause);
        } finally {
            sending.unlock();
        }
    }

    /// Leaves. A reader that waits for the next frame gets an [Unreachable].
    @Override
    public void close() {
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "")
                .orTimeout(FAREWELL.toMillis(), TimeUnit.MILLISECONDS)
                // Whether or not the farewell arrives, this side is done.
                .handle((_, _) -> true)
                .join();
        socket.abort();
        arrivals.add(new Arrival.Broke(new IOException("closed by this side")));
        client.shutdownNow();
    }

    private static String reason(Throwable cause) {
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    /// Runs on the connection's own thread, one call at a time. Every arrival uses up the reader's one
    /// request.
    private static final class Incoming implements WebSocket.Listener {
        private final BlockingQueue<Arrival> arrivals;
        private final StringBuilder text = new StringBuilder();

        Incoming(BlockingQueue<Arrival> arrivals) {
            this.arrivals = arrivals;
        }

        @Override
        public @Nullable CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
            byte[] bytes = new byte[data.remaining()];
            data.get(bytes);
            arrivals.add(new Arrival.Came(new Frame.Bytes(bytes)));
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            text.append(data);
            if (text.length() > MOST_TEXT) {
                socket.abort();
                arrivals.add(new Arrival.Broke(new IOException("a message of the gateway is too long")));
            } else if (last) {
                arrivals.add(message(text.toString()));
                text.setLength(0);
            } else {
                socket.request(1);
            }
            return null;
        }

        private static Arrival message(String text) {
            try {
                return new Arrival.Came(new Frame.Message(JsonTree.parse(text)));
            } catch (JsonProcessingException e) {
                return new Arrival.Broke(new IOException("a message of the gateway is not JSON", e));
            }
        }

        /// Answered by the JDK.
        @Override
        public @Nullable CompletionStage<?> onPing(WebSocket socket, ByteBuffer message) {
            arrivals.add(new Arrival.Alive());
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onPong(WebSocket socket, ByteBuffer message) {
            arrivals.add(new Arrival.Alive());
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            arrivals.add(
                    code == NOT_CLOSED
                            ? new Arrival.Broke(new IOException("it ended without a farewell"))
                            : new Arrival.Came(new Frame.Closed(code, reason)));
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            arrivals.add(new Arrival.Broke(error));
        }
    }
}
