package hermit.fake.tenki;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import hermit.fake.FakeFailure;
import hermit.fake.Fault;
import hermit.fake.Faults;
import hermit.fake.Journal;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The fake's own controls, in HTTP and JSON, for whoever uses it from outside:
///
/// - `GET /_fake/requests` lists what was asked; `DELETE` forgets it. Bodies are protobuf in base64: one entry for each
/// message of a stream.
/// - `POST /_fake/faults` adds one: `{"operation": "Run", "kind": "answer", "status": 16, "times": 1}`; kinds are
/// `answer` (`status`, `headers`, `body`), `stall`, `lose`, `delay` (`ms`), `cut` (`after`), `special` (`name`).
/// `DELETE` takes back those that have not struck.
/// - `GET /_fake/machines` lists all. `POST /_fake/machines/ID/ACTION` is one of `pause`, `resume`, `shutdown`,
/// `delete`, `forget`, `revoke`, and `expire` with `{"ms": 0}`.
final class Controls implements AutoCloseable {
    private static final Pattern ACTION = Pattern.compile("/_fake/machines/([^/]+)/([a-z]+)");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpServer server;
    private final ExecutorService threads;
    private final Faults faults;
    private final Journal journal;
    private final Happenings happenings;

    private Controls(HttpServer server, Faults faults, Journal journal, Happenings happenings) {
        this.server = server;
        this.threads = Executors.newVirtualThreadPerTaskExecutor();
        this.faults = faults;
        this.journal = journal;
        this.happenings = happenings;
    }

    static Controls start(TenkiFakeSettings settings, Faults faults, Journal journal, Happenings happenings) {
        try {
            var server = HttpServer.create(new InetSocketAddress(settings.host(), settings.controlsPort()), 0);
            var controls = new Controls(server, faults, journal, happenings);
            server.setExecutor(controls.threads);
            server.createContext("/_fake/", controls::handle);
            server.start();
            return controls;
        } catch (IOException e) {
            throw new FakeFailure("listen for controls: " + e.getMessage(), e);
        }
    }

    int port() {
        return server.getAddress().getPort();
    }

    private record Answer(int status, Object body) {
        static final Answer DONE = new Answer(204, Map.of());
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            var answer = answer(exchange);
            byte[] body = answer.status == 204 ? new byte[0] : JSON.writeValueAsBytes(answer.body);
            exchange.getResponseHeaders().set("content-type", "application/json");
            exchange.sendResponseHeaders(answer.status, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Answer answer(HttpExchange exchange) throws IOException, InterruptedException {
        String path = exchange.getRequestURI().getPath();
        try {
            var body = JSON.readTree(exchange.getRequestBody());
            Matcher action = ACTION.matcher(path);
            if (exchange.getRequestMethod().equals("POST") && action.matches()) {
                act(action.group(1), action.group(2), body);
                return Answer.DONE;
            }
            return switch (exchange.getRequestMethod() + " " + path) {
                case "GET /_fake/requests" ->
                    new Answer(
                            200, journal.entries().stream().map(Controls::shown).toList());
                case "DELETE /_fake/requests" -> {
                    journal.clear();
                    yield Answer.DONE;
                }
                case "POST /_fake/faults" -> {
                    faults.add(fault(body));
                    yield Answer.DONE;
                }
                case "DELETE /_fake/faults" -> {
                    faults.clear();
                    yield Answer.DONE;
                }
                case "GET /_fake/machines" ->
                    new Answer(
                            200, happenings.all().stream().map(Controls::shown).toList());
                default -> new Answer(404, Map.of("message", "no such control"));
            };
        } catch (IllegalArgumentException | JsonProcessingException e) {
            return new Answer(400, Map.of("message", String.valueOf(e.getMessage())));
        }
    }

    private void act(String id, String action, JsonNode body) throws InterruptedException {
        switch (action) {
            case "pause" -> happenings.pause(id);
            case "resume" -> happenings.resume(id);
            case "shutdown" -> happenings.shutDown(id);
            case "delete" -> happenings.terminate(id);
            case "forget" -> happenings.forget(id);
            case "revoke" -> happenings.revoke(id);
            case "expire" ->
                happenings.endIn(id, Duration.ofMillis(body.path("ms").asLong()));
            default -> throw new IllegalArgumentException("no such action: " + action);
        }
    }

    private static Fault fault(JsonNode body) {
        var headers = new HashMap<String, String>();
        body.path("headers")
                .properties()
                .forEach(each -> headers.put(each.getKey(), each.getValue().asText()));
        Fault.Kind kind = switch (body.path("kind").asText()) {
            case "answer" ->
                new Fault.Kind.Answer(
                        body.path("status").asInt(500),
                        headers,
                        body.path("body").asText());
            case "stall" -> new Fault.Kind.Stall();
            case "lose" -> new Fault.Kind.Lose();
            case "delay" ->
                new Fault.Kind.Delay(Duration.ofMillis(body.path("ms").asLong()));
            case "cut" -> new Fault.Kind.Cut(body.path("after").asInt());
            case "special" -> new Fault.Kind.Special(body.path("name").asText());
            default -> throw new IllegalArgumentException("no such kind of fault");
        };
        return new Fault(
                body.path("operation").asText(), kind, body.path("times").asInt(1));
    }

    private static Map<String, Object> shown(Journal.Entry entry) {
        var shown = new LinkedHashMap<String, Object>();
        shown.put("at", entry.at().toString());
        shown.put("method", entry.method());
        shown.put("path", entry.path());
        shown.put("headers", entry.headers());
        shown.put("body", entry.body());
        return shown;
    }

    private static Map<String, Object> shown(Happenings.Seen machine) {
        var shown = new LinkedHashMap<String, Object>();
        shown.put("id", machine.id());
        shown.put("state", machine.state());
        shown.put("metadata", machine.metadata());
        shown.put("timeout_at", machine.timeoutAt().toString());
        return shown;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }
}
