package hermit.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import com.sun.net.httpserver.HttpServer;
import hermit.api.GatewayClientException.Refused;
import hermit.api.GatewayClientException.Unreachable;
import hermit.api.GatewayClientException.Unreachable.Stage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class GatewayClientTest {
    private static final byte[] OK =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}".getBytes(UTF_8);

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<String> lastEventIds = new CopyOnWriteArrayList<>();
    private final HttpServer server = start();
    private int status = 200;
    private String type = "application/json";
    private String body = "{}";

    private HttpServer start() {
        try {
            var http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            http.createContext("/", exchange -> {
                try (exchange) {
                    var sent = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
                    lastEventIds.add(
                            Optional.ofNullable(exchange.getRequestHeaders().getFirst("Last-Event-ID"))
                                    .orElse(""));
                    asked.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + sent);
                    exchange.getResponseHeaders().set("Content-Type", type);
                    if (status == 302) exchange.getResponseHeaders().set("Location", "/elsewhere");
                    byte[] bytes = body.getBytes(UTF_8);
                    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
                    exchange.getResponseBody().write(bytes);
                }
            });
            http.start();
            return http;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private GatewayClient client() {
        return client("");
    }

    private GatewayClient client(String path) {
        return new GatewayClient(
                URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path), Optional.of("secret"));
    }

    @Test
    void a_document_goes_there_and_one_comes_back() throws Exception {
        body = "{\"id\":\"a\"}";
        var sent = JsonTree.object().put("id", "ä");
        assertThat(client().post("/api/agents", sent).path("id").asText()).isEqualTo("a");
        assertThat(asked).containsExactly("POST /api/agents {\"id\":\"ä\"}");
    }

    @Test
    void what_is_replaced_and_what_is_deleted_may_be_answered_with_a_document() throws Exception {
        body = "{\"id\":\"a\"}";
        assertThat(client().put("/x", JsonTree.object().put("role", "owner"))
                        .path("id")
                        .asText())
                .isEqualTo("a");
        assertThat(client().delete("/x").path("id").asText()).isEqualTo("a");
        assertThat(client().compute("/x").path("id").asText()).isEqualTo("a");
        assertThat(asked).containsExactly("PUT /x {\"role\":\"owner\"}", "DELETE /x ", "GET /x ");
    }

    @Test
    void a_gateway_behind_a_path_is_called_below_it() throws Exception {
        client("/hermit/").get("/api/agents");
        assertThat(asked).containsExactly("GET /hermit/api/agents ");
    }

    @Test
    void a_problem_keeps_its_document_also_where_authentication_is_missing() {
        for (int each : List.of(400, 401, 404, 503)) {
            status = each;
            body = "{\"status\":%d,\"code\":\"c\",\"detail\":\"d\",\"errors\":[{\"path\":\"p\"}]}".formatted(each);
            assertThatThrownBy(() -> client().post("/x", JsonTree.object()))
                    .asInstanceOf(type(Refused.class))
                    .satisfies(refused -> {
                        assertThat(refused.status()).isEqualTo(each);
                        assertThat(refused.code()).isEqualTo("c");
                        assertThat(refused).hasMessage("d");
                        assertThat(refused.document().toString()).isEqualTo(body);
                    });
        }
    }

    @Test
    void an_error_that_is_no_problem_document_still_has_its_status() {
        status = 502;
        body = "<html>";
        assertThatThrownBy(() -> client().get("/x"))
                .asInstanceOf(type(Refused.class))
                .satisfies(refused ->
                        assertThat(refused.document().path("status").asInt()).isEqualTo(502));
    }

    @Test
    void a_redirect_is_not_followed() {
        status = 302;
        assertThatThrownBy(() -> client().get("/x")).isInstanceOf(Refused.class);
        assertThat(asked).containsExactly("GET /x ");
    }

    @Test
    void no_content_is_an_answer() throws Exception {
        status = 204;
        body = "";
        assertThat(client().delete("/x").isMissingNode()).isTrue();
        assertThat(client().post("/x", JsonTree.object()).isMissingNode()).isTrue();
    }

    @Test
    void a_request_that_died_on_the_way_is_never_sent_again() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                var socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            var serving = threads.submit(() -> {
                // The first request is answered and its connection kept; the second one gets no answer on it.
                try (var first = socket.accept()) {
                    readRequest(first.getInputStream());
                    first.getOutputStream().write(OK);
                    readRequest(first.getInputStream());
                }
                // Whoever sends it again would be told that all is well.
                while (true) {
                    try (var again = socket.accept()) {
                        readRequest(again.getInputStream());
                        again.getOutputStream().write(OK);
                    }
                }
            });
            var client = new GatewayClient(URI.create("http://127.0.0.1:" + socket.getLocalPort()), Optional.empty());
            client.post("/x", JsonTree.object());
            assertThatThrownBy(() -> client.post("/x", JsonTree.object())).isInstanceOf(Unreachable.class);
            assertThat(serving.isDone()).isFalse();
        }
    }

    /// Reads up to the end of a small JSON body.
    private static void readRequest(java.io.InputStream in) throws IOException {
        for (int b = in.read(); b >= 0 && b != '}'; b = in.read()) {}
    }

    @Test
    void events_come_in_order_and_comments_do_not() throws Exception {
        type = "text/event-stream";
        body =
                ": hello\n\nevent: start\ndata: {\"a\":1}\n\n:\n\nid: 7\nevent: stdout\ndata: {\"b\":\ndata: 2}\n\nevent: end\r\ndata:{}\r\n\r\nevent: cut\ndata: {";
        try (var events = client().stream("/x", JsonTree.object())) {
            assertThat(events.next().orElseThrow().toString()).isEqualTo("Event[name=start, data={\"a\":1}]");
            assertThat(events.next().orElseThrow().data().path("b").asInt()).isEqualTo(2);
            assertThat(events.next().orElseThrow().name()).isEqualTo("end");
            assertThat(events.next()).isEmpty();
        }
    }

    @Test
    void a_stream_is_taken_up_behind_the_last_event_that_came_whole() throws Exception {
        type = "text/event-stream";
        body = "id: 1:0\nevent: a\ndata: {}\n\nevent: b\ndata: {}\n\nid: 2:0\nevent: cut\ndata: {";
        try (var events = client().stream("/x", JsonTree.object())) {
            assertThat(events.lastId()).isEmpty();
            assertThat(events.heard()).isFalse();
            events.next();
            assertThat(events.lastId()).contains("1:0");
            events.next();
            assertThat(events.lastId()).contains("1:0");
            assertThat(events.next()).isEmpty();
            assertThat(events.lastId()).contains("1:0");
        }
        try (var events = client().resume("/x/events", Optional.of("1:0"))) {
            assertThat(events.next()).isPresent();
        }
        client().resume("/x/events", Optional.empty()).close();
        assertThat(asked).containsExactly("POST /x {}", "GET /x/events ", "GET /x/events ");
        assertThat(lastEventIds).containsExactly("", "1:0", "");
    }

    @Test
    void a_comment_is_a_sign_of_life() throws Exception {
        type = "text/event-stream";
        body = ": still here\n\n";
        try (var events = client().stream("/x", JsonTree.object())) {
            assertThat(events.next()).isEmpty();
            assertThat(events.heard()).isTrue();
        }
    }

    @Test
    void whether_a_request_was_sent_is_told() throws Exception {
        body = "no json";
        assertThatThrownBy(() -> client().get("/x"))
                .asInstanceOf(type(Unreachable.class))
                .satisfies(lost -> assertThat(lost.stage()).isEqualTo(Stage.BROKEN));
        var nobody = new GatewayClient(URI.create("http://127.0.0.1:" + freePort()), Optional.empty());
        assertThatThrownBy(() -> nobody.get("/x"))
                .asInstanceOf(type(Unreachable.class))
                .satisfies(lost -> assertThat(lost.stage()).isEqualTo(Stage.CONNECTING));
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    void an_event_that_is_no_json_is_an_error() throws Exception {
        body = "data: {\n\n";
        try (var events = client().stream("/x", JsonTree.object())) {
            assertThatThrownBy(events::next).isInstanceOf(Unreachable.class);
        }
    }

    @Test
    void an_error_before_a_stream_is_thrown() {
        status = 409;
        body = "{\"status\":409,\"code\":\"no_sandbox\"}";
        assertThatThrownBy(() -> client().stream("/x", JsonTree.object()))
                .asInstanceOf(type(Refused.class))
                .satisfies(refused -> assertThat(refused.code()).isEqualTo("no_sandbox"));
    }

    @Test
    void segments_of_a_path_are_encoded() {
        assertThat(GatewayClient.path("agents", "a b/ü?")).isEqualTo("/api/agents/a%20b%2F%C3%BC%3F");
    }
}
