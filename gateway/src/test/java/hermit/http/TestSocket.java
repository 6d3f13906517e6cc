package hermit.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import hermit.api.ApiJson;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;

/// The client's end of a WebSocket, with the admin's token unless it is told another one.
public final class TestSocket implements AutoCloseable {
    /// A message: a `Map` for text, a `byte[]` for binary, an `Integer` for the code of a close.
    private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();

    private final HttpClient client = HttpClient.newHttpClient();
    private final WebSocket socket;

    private TestSocket(int port, String path, Optional<String> token) {
        var builder = client.newWebSocketBuilder();
        token.ifPresent(each -> builder.header("Authorization", "Bearer " + each));
        socket = builder.buildAsync(URI.create("ws://127.0.0.1:" + port + path), new Listener())
                .join();
    }

    public static TestSocket open(int port, String path) {
        return new TestSocket(port, path, Optional.of(TestClient.TOKEN));
    }

    /// With somebody else's token.
    public static TestSocket open(int port, String path, String token) {
        return new TestSocket(port, path, Optional.of(token));
    }

    /// As a page does, which cannot send headers.
    public static TestSocket openAsPage(int port, String path) {
        return new TestSocket(port, path, Optional.empty());
    }

    /// The status that a handshake is refused with.
    public static int refused(int port, String path) {
        try (var _ = open(port, path)) {
            throw new AssertionError("the WebSocket was opened");
        } catch (CompletionException e) {
            if (e.getCause() instanceof WebSocketHandshakeException refusal)
                return refusal.getResponse().statusCode();
            throw e;
        }
    }

    public void send(byte[] bytes) {
        socket.sendBinary(ByteBuffer.wrap(bytes), true).join();
    }

    public void type(String text) {
        send(text.getBytes(StandardCharsets.UTF_8));
    }

    public void send(String text) {
        socket.sendText(text, true).join();
    }

    /// The next text message, whatever binary ones come before.
    public Map<String, Object> message() throws InterruptedException {
        while (true) {
            Object next = next();
            if (next instanceof Map<?, ?> map) return object(map);
            if (next instanceof Integer code) throw new AssertionError("closed with " + code);
        }
    }

    /// The next text message of this type.
    public Map<String, Object> message(String type) throws InterruptedException {
        while (true) {
            var message = message();
            if (type.equals(message.get("type"))) return message;
        }
    }

    /// So many bytes, whatever text comes between.
    public String bytes(int count) throws InterruptedException {
        var all = new ByteArrayOutputStream();
        while (all.size() < count)
            switch (next()) {
                case byte[] bytes -> all.writeBytes(bytes);
                case Integer code -> throw new AssertionError("closed with " + code + " after " + all);
                default -> {}
            }
        return all.toString(StandardCharsets.UTF_8);
    }

    /// The code that the connection is closed with.
    public int closed() throws InterruptedException {
        while (true) if (next() instanceof Integer code) return code;
    }

    private Object next() throws InterruptedException {
        return received.take();
    }

    private static Map<String, Object> object(Map<?, ?> map) {
        var object = new LinkedHashMap<String, Object>();
        map.forEach((key, value) -> object.put(String.valueOf(key), value));
        return object;
    }

    /// Goes without a word, as a client does whose machine was switched off.
    public void abort() {
        socket.abort();
    }

    @Override
    public void close() {
        socket.abort();
        client.shutdownNow();
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();
        private final List<byte[]> binary = new ArrayList<>();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                try {
                    received.add(
                            ApiJson.mapper().readValue(text.toString(), new TypeReference<Map<String, Object>>() {}));
                } catch (JsonProcessingException e) {
                    received.add(Map.of("type", "no JSON", "text", text.toString()));
                }
                text.setLength(0);
            }
            from.request(1);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
            byte[] bytes = new byte[data.remaining()];
            data.get(bytes);
            binary.add(bytes);
            if (last) {
                var whole = new ByteArrayOutputStream();
                binary.forEach(whole::writeBytes);
                binary.clear();
                received.add(whole.toByteArray());
            }
            from.request(1);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
            received.add(code);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void onError(WebSocket from, Throwable error) {
            received.add(1_006); // RFC 6455: closed abnormally
        }
    }
}
