package hermit.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import hermit.api.JsonTree;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// A gateway that answers what a test tells it to, and remembers what it was asked. Whatever it was told nothing about
/// is a 404.
final class FakeGateway implements AutoCloseable {
    /// `body` is missing where `bytes` are no JSON.
    @SuppressWarnings("ArrayRecordComponent")
    record Asked(String method, String path, Map<String, String> headers, JsonNode body, byte[] bytes) {}

    /// Answers one request. It may take its time.
    interface Handler {
        void answer(HttpExchange exchange) throws IOException, InterruptedException;
    }

    /// Answers one request by what it says.
    interface JsonHandler extends Handler {
        void answer(HttpExchange exchange, JsonNode body) throws IOException, InterruptedException;

        @Override
        default void answer(HttpExchange exchange) {
            throw new IllegalStateException("a body is needed");
        }
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, Handler> handlers = new ConcurrentHashMap<>();
    private final List<Asked> asked = new CopyOnWriteArrayList<>();

    FakeGateway() {
        this(0);
    }

    FakeGateway(int port) {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + port();
    }

    int port() {
        return server.getAddress().getPort();
    }

    List<Asked> asked() {
        return List.copyOf(asked);
    }

    /// The only request that came, or the last of them.
    Asked last() {
        return asked.getLast();
    }

    /// `route` is a method and a path with its query, e.g. `GET /api/agents`.
    FakeGateway on(String route, Handler handler) {
        handlers.put(route, handler);
        return this;
    }

    FakeGateway on(String route, int status, String json) {
        return on(
                route,
                exchange ->
                        send(exchange, status, status >= 400 ? "application/problem+json" : "application/json", json));
    }

    FakeGateway problem(String route, int status, String code, String detail) {
        return on(
                route,
                status,
                "{\"type\":\"about:blank\",\"title\":\"T\",\"status\":%d,\"code\":\"%s\",\"detail\":\"%s\"}"
                        .formatted(status, code, detail));
    }

    /// Answers with these events and closes the stream.
    FakeGateway events(String route, String... events) {
        return on(route, exchange -> send(exchange, 200, "text/event-stream", String.join("", events)));
    }

    static String event(String name, String json) {
        return "event: %s\ndata: %s\n\n".formatted(name, json);
    }

    static String event(String id, String name, String json) {
        return "id: %s\n".formatted(id) + event(name, json);
    }

    static String output(String stream, long offset, byte[] bytes) {
        return event(
                stream,
                "{\"data\":\"%s\",\"encoding\":\"base64\",\"offset\":%d}"
                        .formatted(Base64.getEncoder().encodeToString(bytes), offset));
    }

    static void send(HttpExchange exchange, int status, String type, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            var headers = new HashMap<String, String>();
            exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, values.getFirst()));
            byte[] bytes = exchange.getRequestBody().readAllBytes();
            JsonNode body = parse(bytes);
            asked.add(new Asked(
                    exchange.getRequestMethod(), exchange.getRequestURI().toString(), headers, body, bytes));
            Handler handler = handlers.get(exchange.getRequestMethod() + " " + exchange.getRequestURI());
            if (handler instanceof JsonHandler json) json.answer(exchange, body);
            else if (handler != null) handler.answer(exchange);
            else
                send(
                        exchange,
                        404,
                        "application/problem+json",
                        "{\"type\":\"about:blank\",\"title\":\"Not found\",\"status\":404,\"code\":\"not_found\",\"detail\":\"no such thing\"}");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static JsonNode parse(byte[] bytes) {
        try {
            return JsonTree.parse(bytes);
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
