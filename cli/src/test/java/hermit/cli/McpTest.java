package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import hermit.api.JsonTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class McpTest extends CliTest {
    private static final String ROUTE = "/api/agents/main/mcp";
    private static final String INITIALIZE = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{}}";
    private static final String INITIALIZED = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";

    private final AtomicInteger sessions = new AtomicInteger();

    McpTest() {
        gateway.on("DELETE " + ROUTE, exchange -> exchange.sendResponseHeaders(204, -1));
        answerPosts((exchange, message) -> result(exchange, message, "{}"));
    }

    /// Answers one message.
    private interface Server {
        void answer(HttpExchange exchange, JsonNode message) throws IOException, InterruptedException;
    }

    private void answerPosts(Server server) {
        gateway.on("POST " + ROUTE, (FakeGateway.JsonHandler) (exchange, message) -> {
            if (message.path("method").asText().equals("initialize"))
                exchange.getResponseHeaders().set("Mcp-Session-Id", "s" + sessions.incrementAndGet());
            if (message.has("id")) server.answer(exchange, message);
            else exchange.sendResponseHeaders(202, -1);
        });
    }

    private static void result(HttpExchange exchange, JsonNode message, String result) throws IOException {
        FakeGateway.send(
                exchange,
                200,
                "application/json",
                "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}".formatted(message.get("id"), result));
    }

    /// A client that waits for as many lines as it has written before it closes the bridge's stdin.
    private Ended bridge(String... lines) throws Exception {
        var in = new PipedInputStream();
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        CompletableFuture<Integer> run;
        try (var typing = new PipedOutputStream(in)) {
            run = CompletableFuture.supplyAsync(() -> new Cli(surroundings(in, out, err)).run("mcp"));
            typing.write((String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
            typing.flush();
            while (out.toString(StandardCharsets.UTF_8).lines().count() < lines.length) Thread.onSpinWait();
        }
        return new Ended(run.get(), out, err.toString(StandardCharsets.UTF_8));
    }

    private static String request(int id, String method) {
        return "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\"}".formatted(id, method);
    }

    @Test
    void messages_are_carried_both_ways_in_one_session_that_is_ended_in_the_end() throws Exception {
        var ended = bridge(INITIALIZE, request(1, "tools/list"));
        assertThat(ended.code()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out().lines())
                .containsExactly(
                        "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
        var asked = gateway.asked();
        assertThat(asked).extracting(FakeGateway.Asked::method).containsExactly("POST", "POST", "DELETE");
        assertThat(asked.getFirst().headers())
                .containsEntry("Authorization", "Bearer secret")
                .doesNotContainKey("Mcp-session-id");
        assertThat(asked.get(1).headers()).containsEntry("Mcp-session-id", "s1");
        assertThat(asked.get(2).headers()).containsEntry("Mcp-session-id", "s1");
    }

    @Test
    void a_stream_of_answers_becomes_lines() throws Exception {
        answerPosts((exchange, message) -> {
            if (message.get("id").asInt() == 0) result(exchange, message, "{}");
            else
                FakeGateway.send(
                        exchange,
                        200,
                        "text/event-stream",
                        FakeGateway.event("message", "{\"method\":\"notifications/progress\"}")
                                + FakeGateway.event("message", "{\"id\":1,\"result\":{\"a\": 0.10}}"));
        });
        assertThat(bridge(INITIALIZE, request(1, "tools/call")).out().lines().skip(1))
                .containsExactly("{\"method\":\"notifications/progress\"}", "{\"id\":1,\"result\":{\"a\":0.10}}");
    }

    @Test
    void what_is_no_message_is_answered_as_such() throws Exception {
        var lines = bridge("no json", "[]").out().lines().toList();
        assertThat(JsonTree.parse(lines.get(0)).at("/error/code").asInt()).isEqualTo(-32_700);
        assertThat(JsonTree.parse(lines.get(1)).at("/error/code").asInt()).isEqualTo(-32_600);
        assertThat(gateway.asked()).isEmpty();
    }

    @Test
    void a_session_that_the_gateway_has_lost_is_opened_anew_and_the_request_is_sent_again() throws Exception {
        answerPosts((exchange, message) -> {
            String session = exchange.getRequestHeaders().getFirst("Mcp-Session-Id");
            if ("s1".equals(session))
                FakeGateway.send(
                        exchange,
                        404,
                        "application/problem+json",
                        "{\"status\":404,\"code\":\"not_found\",\"detail\":\"gone\"}");
            else result(exchange, message, "{}");
        });
        var ended = bridge(INITIALIZE, request(1, "tools/list"));
        assertThat(ended.out().lines())
                .containsExactly(
                        "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
        assertThat(ended.err()).contains("a new one is opened");
        assertThat(gateway.asked())
                .extracting(each -> each.body().path("method").asText())
                .containsExactly(
                        "initialize", "tools/list", "initialize", "notifications/initialized", "tools/list", "");
        assertThat(gateway.last().headers()).containsEntry("Mcp-session-id", "s2");
    }

    @Test
    void a_refusal_is_an_error_with_the_problem_in_it() throws Exception {
        gateway.problem("POST " + ROUTE, 401, "unauthenticated", "wrong token");
        var ended = bridge(INITIALIZE);
        JsonNode answer = JsonTree.parse(ended.out());
        assertThat(answer.get("id").asInt()).isZero();
        assertThat(answer.at("/error/message").asText()).isEqualTo("wrong token");
        assertThat(answer.at("/error/data/code").asText()).isEqualTo("unauthenticated");
        assertThat(ended.err()).contains("wrong token");
        assertThat(ended.code()).isZero();
    }

    @Test
    void a_gateway_that_is_not_there_is_an_error_for_each_request() throws Exception {
        gateway.close();
        var ended = bridge(INITIALIZE, request(1, "ping"));
        var answers = ended.out().lines().toList();
        assertThat(answers).hasSize(2);
        for (String each : answers)
            assertThat(JsonTree.parse(each).at("/error/data/code").asText()).isEqualTo("unreachable");
        assertThat(ended.err()).contains("No answer from the gateway");
    }

    /// Clients kill a server that does not end soon after its stdin.
    @Test
    void the_end_of_stdin_ends_the_session_although_nothing_is_heard_from_the_gateway() throws Exception {
        var listening = new CountDownLatch(1);
        var ended = new CountDownLatch(1);
        gateway.on("GET " + ROUTE, exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(": listening\n\n".getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
            listening.countDown();
            ended.await();
        });
        gateway.on("DELETE " + ROUTE, exchange -> {
            ended.countDown();
            exchange.sendResponseHeaders(204, -1);
        });
        var in = new PipedInputStream();
        var out = new ByteArrayOutputStream();
        CompletableFuture<Integer> run;
        try (var typing = new PipedOutputStream(in)) {
            run = CompletableFuture.supplyAsync(() -> new Cli(surroundings(in, out, out)).run("mcp"));
            typing.write((INITIALIZE + "\n" + INITIALIZED + "\n").getBytes(StandardCharsets.UTF_8));
            typing.flush();
            listening.await();
        }
        assertThat(run.get()).isZero();
        assertThat(ended.getCount()).isZero();
    }

    /// Runs the bridge, says these things, and returns when it has ended after stdin, which ends when `then` is done.
    private int bridgeUntil(CountDownLatch then, ByteArrayOutputStream out, String... lines) throws Exception {
        var in = new PipedInputStream();
        CompletableFuture<Integer> run;
        try (var typing = new PipedOutputStream(in)) {
            run = CompletableFuture.supplyAsync(() -> new Cli(surroundings(in, out, out)).run("mcp"));
            typing.write((String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
            typing.flush();
            then.await();
        }
        return run.get();
    }

    @Test
    void a_gateway_that_does_not_answer_keeps_nobody_who_wants_to_leave() throws Exception {
        var asked = new CountDownLatch(1);
        var never = new CountDownLatch(1);
        gateway.on("DELETE " + ROUTE, exchange -> never.await());
        answerPosts((exchange, message) -> {
            if (message.get("id").asInt() == 0) result(exchange, message, "{}");
            else {
                asked.countDown();
                never.await();
            }
        });
        var out = new ByteArrayOutputStream();
        assertThat(bridgeUntil(asked, out, INITIALIZE, request(1, "tools/call")))
                .isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("the session will end as idle");
        never.countDown();
    }

    @Test
    void a_gateway_that_never_opens_the_session_does_not_either() throws Exception {
        var asked = new CountDownLatch(1);
        var never = new CountDownLatch(1);
        answerPosts((exchange, message) -> {
            asked.countDown();
            never.await();
        });
        assertThat(bridgeUntil(asked, new ByteArrayOutputStream(), INITIALIZE, request(1, "ping")))
                .isZero();
        assertThat(gateway.asked())
                .singleElement()
                .satisfies(each -> assertThat(each.body().get("id").asInt()).isZero());
        never.countDown();
    }

    @Test
    void a_session_that_was_opened_anew_is_listened_to_again() throws Exception {
        var refused = new CountDownLatch(1);
        var heard = new CountDownLatch(1);
        gateway.on("GET " + ROUTE, exchange -> {
            if ("s1".equals(exchange.getRequestHeaders().getFirst("Mcp-Session-Id"))) {
                FakeGateway.send(exchange, 404, "application/problem+json", "{\"status\":404,\"detail\":\"gone\"}");
                refused.countDown();
                return;
            }
            FakeGateway.send(
                    exchange, 200, "text/event-stream", FakeGateway.event("message", "{\"method\":\"changed\"}"));
            heard.countDown();
        });
        answerPosts((exchange, message) -> {
            if (message.path("method").asText().equals("ping")) refused.await();
            boolean gone = "s1".equals(exchange.getRequestHeaders().getFirst("Mcp-Session-Id"));
            if (gone)
                FakeGateway.send(exchange, 404, "application/problem+json", "{\"status\":404,\"detail\":\"gone\"}");
            else result(exchange, message, "{}");
        });
        var out = new ByteArrayOutputStream();
        assertThat(bridgeUntil(heard, out, INITIALIZE, INITIALIZED, request(1, "ping")))
                .isZero();
    }

    @Test
    void a_cancellation_comes_after_what_it_cancels_and_a_long_call_holds_up_nothing() throws Exception {
        var cancelled = new CountDownLatch(1);
        var seen = new CopyOnWriteArrayList<String>();
        gateway.on("POST " + ROUTE, (FakeGateway.JsonHandler) (exchange, message) -> {
            String method = message.path("method").asText();
            seen.add(method);
            switch (method) {
                case "tools/call" -> {
                    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
                    exchange.sendResponseHeaders(200, 0);
                    exchange.getResponseBody().write(": begun\n\n".getBytes(StandardCharsets.UTF_8));
                    exchange.getResponseBody().flush();
                    cancelled.await();
                }
                case "notifications/cancelled" -> {
                    exchange.sendResponseHeaders(202, -1);
                    cancelled.countDown();
                }
                default -> result(exchange, message, "{}");
            }
        });
        var in = new PipedInputStream();
        var out = new ByteArrayOutputStream();
        CompletableFuture<Integer> run;
        try (var typing = new PipedOutputStream(in)) {
            run = CompletableFuture.supplyAsync(() -> new Cli(surroundings(in, out, out)).run("mcp"));
            String cancel = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}";
            String text = String.join("\n", List.of(INITIALIZE, request(1, "tools/call"), request(2, "ping"), cancel));
            typing.write((text + "\n").getBytes(StandardCharsets.UTF_8));
            typing.flush();
            cancelled.await();
            while (!out.toString(StandardCharsets.UTF_8).contains("\"id\":2")) Thread.onSpinWait();
        }
        assertThat(run.get()).isZero();
        assertThat(seen.indexOf("tools/call")).isLessThan(seen.indexOf("notifications/cancelled"));
        assertThat(out.toString(StandardCharsets.UTF_8)).doesNotContain("\"id\":1,");
    }
}
