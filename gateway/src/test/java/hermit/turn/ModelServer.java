package hermit.turn;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import hermit.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A model's server on this machine that says what a test has written for it, in the words of OpenAI or of
/// Anthropic, according to the path that is asked.
public final class ModelServer implements AutoCloseable {
    /// What it answers to one request.
    public sealed interface Say {
        /// A text in pieces, and then calls.
        record Words(List<String> pieces, List<Call> calls, String finish) implements Say {}

        /// Another status than 200.
        record Refuse(int status, Map<String, String> headers, String body) implements Say {}

        /// A beginning, and then the connection ends: cleanly, or in the middle of a chunk.
        record BreakOff(List<String> pieces, List<Call> calls, boolean cleanly) implements Say {}

        /// A beginning, and then nothing until the test lets go on.
        record Hold(List<String> pieces, CountDownLatch until) implements Say {}
    }

    /// A call as the model writes it.
    public record Call(String tool, String arguments) {}

    public static Call call(String tool, Map<String, ?> arguments) {
        return new Call(tool, Json.write(arguments));
    }

    public static Say text(String... pieces) {
        return new Say.Words(List.of(pieces), List.of(), "stop");
    }

    public static Say calls(Call... calls) {
        return new Say.Words(List.of(), List.of(calls), "tools");
    }

    /// A request as it came in.
    public record Asked(String path, Map<String, List<String>> headers, Map<String, Object> body) {
        public String text() {
            return Json.write(body);
        }
    }

    private final HttpServer server;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Say> script = new ArrayDeque<>();
    private final Map<String, Deque<Say>> scripts = new HashMap<>();
    private final List<Asked> asked = new ArrayList<>();
    private int gone;

    public ModelServer() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::handle);
        server.start();
    }

    public URI url() {
        return URI.create("http://127.0.0.1:%d/v1".formatted(server.getAddress().getPort()));
    }

    /// What it says next, in this order.
    public void script(Say... says) {
        lock.lock();
        try {
            script.addAll(Arrays.asList(says));
        } finally {
            lock.unlock();
        }
    }

    /// What it says in conversations in which this word stands.
    public void script(String word, Say... says) {
        lock.lock();
        try {
            scripts.computeIfAbsent(word, _ -> new ArrayDeque<>()).addAll(Arrays.asList(says));
        } finally {
            lock.unlock();
        }
    }

    public List<Asked> asked() {
        lock.lock();
        try {
            return List.copyOf(asked);
        } finally {
            lock.unlock();
        }
    }

    /// Waits until it has been asked so often.
    public void awaitAsked(int times) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (asked.size() < times) changed.await();
        } finally {
            lock.unlock();
        }
    }

    /// Waits until somebody has gone away while it was speaking.
    public void awaitGone() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (gone == 0) changed.await();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private void handle(HttpExchange exchange) throws IOException {
        boolean anthropic = exchange.getRequestURI().getPath().endsWith("/messages");
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        Say say = next(exchange, body);
        try (exchange) {
            if (say instanceof Say.Refuse refuse) {
                byte[] bytes = refuse.body().getBytes(StandardCharsets.UTF_8);
                refuse.headers()
                        .forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
                exchange.sendResponseHeaders(refuse.status(), bytes.length == 0 ? -1 : bytes.length);
                exchange.getResponseBody().write(bytes);
                return;
            }
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            // A body of a fixed length that is not reached ends in the middle.
            boolean torn = say instanceof Say.BreakOff breakOff && !breakOff.cleanly();
            exchange.sendResponseHeaders(200, torn ? 1 << 20 : 0);
            speak(anthropic ? new Anthropic(exchange.getResponseBody()) : new OpenAi(exchange.getResponseBody()), say);
            if (torn) throw new IOException("torn on purpose");
        } catch (IOException e) {
            lock.lock();
            try {
                gone++;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private static Map<String, Object> withoutNulls(Map<String, @Nullable Object> document) {
        var known = new LinkedHashMap<String, Object>();
        document.forEach((key, value) -> {
            if (value != null) known.put(key, value);
        });
        return known;
    }

    private Say next(HttpExchange exchange, String body) throws IOException {
        lock.lock();
        try {
            asked.add(new Asked(
                    exchange.getRequestURI().getPath(), exchange.getRequestHeaders(), withoutNulls(Json.object(body))));
            changed.signalAll();
            for (var each : scripts.entrySet())
                if (body.contains(each.getKey()))
                    return Optional.ofNullable(each.getValue().poll()).orElseGet(() -> text("nothing more to say"));
            return Optional.ofNullable(script.poll()).orElseGet(() -> text("nothing more to say"));
        } catch (Json.Broken e) {
            throw new IOException(e);
        } finally {
            lock.unlock();
        }
    }

    private static void speak(Protocol to, Say say) throws IOException {
        to.begin();
        switch (say) {
            case Say.Words words -> {
                to.words(words.pieces(), words.calls());
                to.end(words.finish());
            }
            case Say.BreakOff breakOff -> to.words(breakOff.pieces(), breakOff.calls());
            case Say.Hold hold -> {
                to.words(hold.pieces(), List.of());
                while (hold.until().getCount() > 0) {
                    to.beat();
                    Thread.onSpinWait();
                }
                to.end("stop");
            }
            case Say.Refuse _ -> throw new IllegalArgumentException("not in words");
        }
    }

    /// How it is put.
    private interface Protocol {
        void begin() throws IOException;

        void words(List<String> pieces, List<Call> calls) throws IOException;

        void end(String finish) throws IOException;

        void beat() throws IOException;
    }

    private record OpenAi(OutputStream out) implements Protocol {
        @Override
        public void begin() throws IOException {
            chunk(Map.of("role", "assistant", "content", ""), null);
        }

        @Override
        public void words(List<String> pieces, List<Call> calls) throws IOException {
            for (String each : pieces) chunk(Map.of("content", each), null);
            for (int i = 0; i < calls.size(); i++) {
                Call call = calls.get(i);
                chunk(toolCall(i, Map.of("id", "call_" + i, "type", "function"), call.tool(), ""), null);
                int middle = call.arguments().length() / 2;
                for (String part : List.of(
                        call.arguments().substring(0, middle), call.arguments().substring(middle)))
                    chunk(toolCall(i, Map.of(), "", part), null);
            }
        }

        @Override
        public void end(String finish) throws IOException {
            chunk(Map.of(), finish.equals("tools") ? "tool_calls" : finish);
            data(Map.of(
                    "id",
                    "c1",
                    "object",
                    "chat.completion.chunk",
                    "created",
                    1,
                    "model",
                    "m",
                    "choices",
                    List.of(),
                    "usage",
                    Map.of("prompt_tokens", 10, "completion_tokens", 5, "total_tokens", 15)));
            write("data: [DONE]\n\n");
        }

        @Override
        public void beat() throws IOException {
            write(": still here\n\n");
        }

        private static Map<String, Object> toolCall(int index, Map<String, String> head, String name, String part) {
            var call = new LinkedHashMap<String, Object>();
            call.put("index", index);
            call.putAll(head);
            var function = new LinkedHashMap<String, Object>();
            if (!name.isEmpty()) function.put("name", name);
            function.put("arguments", part);
            call.put("function", function);
            return Map.of("tool_calls", List.of(call));
        }

        private void chunk(Map<String, Object> delta, @Nullable String finish) throws IOException {
            var choice = new LinkedHashMap<String, Object>();
            choice.put("index", 0);
            choice.put("delta", delta);
            if (finish != null) choice.put("finish_reason", finish);
            data(Map.of(
                    "id",
                    "c1",
                    "object",
                    "chat.completion.chunk",
                    "created",
                    1,
                    "model",
                    "m",
                    "choices",
                    List.of(choice)));
        }

        private void data(Map<String, Object> document) throws IOException {
            write("data: " + Json.write(document) + "\n\n");
        }

        private void write(String text) throws IOException {
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
        }
    }

    private record Anthropic(OutputStream out) implements Protocol {
        @Override
        public void begin() throws IOException {
            event(
                    "message_start",
                    Map.of(
                            "message",
                            Map.of(
                                    "id",
                                    "m1",
                                    "type",
                                    "message",
                                    "role",
                                    "assistant",
                                    "content",
                                    List.of(),
                                    "model",
                                    "m",
                                    "usage",
                                    Map.of("input_tokens", 10, "output_tokens", 0))));
        }

        @Override
        public void words(List<String> pieces, List<Call> calls) throws IOException {
            int index = 0;
            if (!pieces.isEmpty()) {
                event(
                        "content_block_start",
                        Map.of("index", index, "content_block", Map.of("type", "text", "text", "")));
                for (String each : pieces)
                    event(
                            "content_block_delta",
                            Map.of("index", index, "delta", Map.of("type", "text_delta", "text", each)));
                event("content_block_stop", Map.of("index", index++));
            }
            for (Call call : calls) {
                event(
                        "content_block_start",
                        Map.of(
                                "index",
                                index,
                                "content_block",
                                Map.of(
                                        "type",
                                        "tool_use",
                                        "id",
                                        "toolu_" + index,
                                        "name",
                                        call.tool(),
                                        "input",
                                        Map.of())));
                int middle = call.arguments().length() / 2;
                for (String part : List.of(
                        call.arguments().substring(0, middle), call.arguments().substring(middle)))
                    event(
                            "content_block_delta",
                            Map.of("index", index, "delta", Map.of("type", "input_json_delta", "partial_json", part)));
                event("content_block_stop", Map.of("index", index++));
            }
        }

        @Override
        public void end(String finish) throws IOException {
            String reason = switch (finish) {
                case "tools" -> "tool_use";
                case "length" -> "max_tokens";
                default -> "end_turn";
            };
            event("message_delta", Map.of("delta", Map.of("stop_reason", reason), "usage", Map.of("output_tokens", 5)));
            event("message_stop", Map.of());
        }

        @Override
        public void beat() throws IOException {
            event("ping", Map.of());
        }

        private void event(String type, Map<String, Object> more) throws IOException {
            var document = new LinkedHashMap<String, Object>();
            document.put("type", type);
            document.putAll(more);
            out.write("event: %s\ndata: %s\n\n"
                    .formatted(type, Json.write(document))
                    .getBytes(StandardCharsets.UTF_8));
            out.flush();
        }
    }
}
