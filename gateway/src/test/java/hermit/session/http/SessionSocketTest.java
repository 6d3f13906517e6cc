package hermit.session.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.People;
import hermit.People.Someone;
import hermit.TestGateway;
import hermit.http.Method;
import hermit.http.Raw;
import hermit.http.Route;
import hermit.http.RpcMethod;
import hermit.http.TestClient;
import hermit.http.TestClient.Answer;
import hermit.http.TestRpc;
import hermit.http.TestSocket;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class SessionSocketTest {
    private static final String NO_TURN = "00000000-0000-0001-0000-000000000001";

    private static final String WS = "/api/agents/main/ws";

    private final TestGateway gateway = new TestGateway();
    private final TestClient admin = gateway.client;
    private final People people = new People(gateway);
    private Someone user = new Someone("", "", admin);

    @BeforeEach
    void a_member() {
        people.agent("main", "private");
        user = people.member("main", "user");
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void a_whole_conversation() throws Exception {
        try (var rpc = open(user)) {
            var opened = rpc.result("sessions.open", Map.of("metadata", Map.of("topic", "weather")));
            assertThat(opened).containsEntry("state", "open").containsEntry("owner", "user:" + user.id());
            Map<String, Object> session = Map.of("session_id", String.valueOf(opened.get("session_id")));
            assertThat(rpc.result("messages.post", and(session, "text", "hello")))
                    .containsEntry("id", 1);
            int subscribed = rpc.send("events.subscribe", session);
            assertThat(TestRpc.part(rpc.answer(subscribed), "result")).containsEntry("subscription", 1);
            assertThat(TestRpc.part(rpc.notification("event"), "event")).containsEntry("id", 1);
            rpc.send("messages.post", and(session, "text", "again"));
            var event = rpc.notification("event");
            assertThat(event).containsEntry("subscription", 1);
            assertThat(TestRpc.part(event, "event"))
                    .containsEntry("id", 2)
                    .containsEntry("type", "user_message")
                    .containsEntry("data", Map.of("author", "user:" + user.id(), "text", "again"));

            assertThat(items(rpc.result("messages.list", and(session, "limit", 1))))
                    .hasSize(1);
            assertThat(items(rpc.result("sessions.list", Map.of()))).hasSize(1);
            var call = Map.of("tool", "exec", "arguments", Map.of("command", "echo hi"));
            assertThat(rpc.result("tools.call", and(session, call)))
                    .containsEntry("state", "done")
                    .containsKey("result");
            assertThat(rpc.result("sessions.cancel", session)).containsEntry("exec_ids", List.of());
            assertThat(rpc.result("sessions.end", session)).containsEntry("state", "ended");
            assertThat(rpc.result("sessions.get", session)).containsEntry("state", "ended");
            assertThat(rpc.problem("messages.post", and(session, "text", "late")))
                    .containsEntry("code", "conflict")
                    .containsEntry("status", 409);
            assertThat(rpc.call("sessions.delete", session))
                    .containsKey("result")
                    .containsEntry("result", null);
            assertThat(rpc.notification("subscription.ended")).isEqualTo(Map.of("subscription", 1));
            assertThat(rpc.problem("sessions.get", session)).containsEntry("code", "not_found");
        }
    }

    @Test
    void a_subscription_goes_on_behind_an_event_and_ends_when_it_is_told() throws Exception {
        try (var rpc = open(user)) {
            String id = session(user);
            for (int i = 1; i <= 250; i++) post(user, id, "m" + i);
            rpc.send("events.subscribe", Map.of("session_id", id, "after", 240));
            for (long seq = 241; seq <= 250; seq++)
                assertThat(TestRpc.part(rpc.notification("event"), "event")).containsEntry("id", (int) seq);
            assertThat(rpc.call("events.unsubscribe", Map.of("subscription", 1)))
                    .containsEntry("result", null);
            int said = rpc.send("messages.post", Map.of("session_id", id, "text", "unheard"));
            assertThat(rpc.socket.message()).containsEntry("id", said);
            assertThat(rpc.problem("events.unsubscribe", Map.of("subscription", 1)))
                    .containsEntry("code", "not_found");
            assertThat(rpc.result("events.subscribe", Map.of("session_id", id, "after", "250")))
                    .containsEntry("subscription", 2);
        }
    }

    @Test
    void ids_come_back_exactly_as_they_were() throws Exception {
        try (var rpc = open(user)) {
            var ids = new LinkedHashMap<String, Object>();
            ids.put("\"a \\u0000 ü 7\"", "a \0 ü 7");
            ids.put("0", 0);
            ids.put("-3", -3);
            ids.put("12345678901234567890123", new BigInteger("12345678901234567890123"));
            ids.put("1.50", new BigDecimal("1.50"));
            ids.put("null", null);
            for (var each : ids.entrySet()) {
                rpc.socket.send(
                        "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"sessions.list\"}".formatted(each.getKey()));
                assertThat(rpc.socket.message()).containsKey("result").containsEntry("id", each.getValue());
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"jsonrpc": "2.0", "id": 1, "method"                                   | -32700 |
            nonsense                                                               | -32700 |
            {"jsonrpc": "2.0", "id": 1, "id": 2, "method": "sessions.list"}        | -32700 |
            [{"jsonrpc": "2.0", "id": 1, "method": "sessions.list"}]               | -32600 |
            []                                                                     | -32600 |
            7                                                                      | -32600 |
            {"id": 1, "method": "sessions.list"}                                   | -32600 | 1
            {"jsonrpc": 2.0, "id": 1, "method": "sessions.list"}                   | -32600 | 1
            {"jsonrpc": "2.0", "id": {}, "method": "sessions.list"}                | -32600 |
            {"jsonrpc": "2.0", "id": true, "method": "sessions.list"}              | -32600 |
            {"jsonrpc": "2.0", "id": 1}                                            | -32600 | 1
            {"jsonrpc": "2.0", "id": 1, "method": 5}                               | -32600 | 1
            {"jsonrpc": "2.0", "id": 1, "method": "sessions.list", "token": "x"}   | -32600 | 1
            {"jsonrpc": "2.0", "id": 1, "method": "sessions.forget"}               | -32601 | 1
            {"jsonrpc": "2.0", "id": 1, "method": "approvals.decide"}              | -32601 | 1
            {"jsonrpc": "2.0", "id": 1, "method": "sessions.list", "params": [1]}  | -32602 | 1
            {"jsonrpc": "2.0", "id": 1, "method": "sessions.get"}                  | -32602 | 1
            {"jsonrpc": "2.0", "id": 1, "method": "sessions.list", "params": {"limit": 0}}    | -32602 | 1
            {"jsonrpc": "2.0", "id": 1, "method": "sessions.list", "params": {"limit": null}} | -32602 | 1
            {"jsonrpc": "2.0", "id": 1, "method": "sessions.list", "params": {"role": "owner"}} | -32602 | 1
            {"jsonrpc": "2.0", "id": 1, "method": "sessions.open", "params": {"role": "owner"}} | -32602 | 1
            {"jsonrpc": "2.0", "id": 1, "method": "sessions.get", "params": {"session_id": 7}}  | -32602 | 1
            {"jsonrpc": "2.0", "id": 1, "method": "sessions.get", "params": {"session_id": ".."}} | -32000 | 1
            """)
    void what_is_wrong_has_the_number_that_json_rpc_gives_it(String message, int code, Integer id) throws Exception {
        try (var rpc = open(user)) {
            rpc.socket.send(message);
            var answer = rpc.socket.message();
            assertThat(answer).containsEntry("jsonrpc", "2.0").containsKey("id").containsEntry("id", id);
            var error = TestRpc.part(answer, "error");
            assertThat(error).containsEntry("code", code).containsKey("message");
            assertThat(TestRpc.part(error, "data")).containsKeys("code", "status", "detail", "errors");
            assertThat(rpc.result("sessions.list", Map.of())).containsKey("items");
        }
    }

    @Test
    void a_channel_says_over_it_too_for_whom_it_speaks() throws Exception {
        admin.post("/api/agents/main/members", Map.of("channel", "telegram", "channel_user_id", "42", "role", "user"));
        Map<String, Object> ann = Map.of("channel", "telegram", "channel_user_id", "42");
        Map<String, Object> bob = Map.of("channel", "telegram", "channel_user_id", "43");
        try (var rpc = open(people.channel("telegram"));
                var person = open(user)) {
            var opened = rpc.result("sessions.open", Map.of("sender", ann));
            Map<String, Object> session = Map.of("session_id", String.valueOf(opened.get("session_id")));
            assertThat(rpc.result("messages.post", and(session, Map.of("text", "hi", "sender", ann))))
                    .containsEntry("data", Map.of("author", opened.get("owner"), "text", "hi"));
            assertThat(rpc.result("sessions.get", and(session, ann))).containsKey("state");
            assertThat(rpc.problem("sessions.get", and(session, bob))).containsEntry("code", "not_found");
            assertThat(rpc.problem("messages.post", and(session, Map.of("text", "hi", "sender", bob))))
                    .containsEntry("code", "not_found");
            Map<String, Object> own = Map.of("session_id", session(user), "text", "hi", "sender", ann);
            assertThat(person.problem("messages.post", own)).containsEntry("code", "forbidden");
        }
    }

    @Test
    void a_notification_is_carried_out_and_not_answered() throws Exception {
        try (var rpc = open(user)) {
            String id = session(user);
            rpc.socket.send("""
                    {"jsonrpc": "2.0", "method": "messages.post", "params": {"session_id": "%s", "text": "hi"}}
                    """.formatted(id));
            rpc.socket.send("""
                    {"jsonrpc": "2.0", "method": "no.such"}
                    """);
            int last = rpc.send("messages.list", Map.of("session_id", id));
            var next = rpc.socket.message();
            assertThat(next).containsEntry("id", last);
            assertThat(items(TestRpc.part(next, "result"))).hasSize(1);
        }
    }

    @Test
    void every_method_refuses_whom_its_route_refuses_in_the_same_way() throws Exception {
        people.agent("open", "public");
        var owner = people.person("owner");
        var member = people.person("member");
        var guest = people.person("guest");
        people.join("open", owner, "owner");
        people.join("open", member, "user");
        people.join("open", guest, "guest");
        String theirs =
                member.client().post("/api/agents/open/sessions", Map.of()).header("Location");
        var callers = List.of(
                people.person("stranger"),
                guest,
                member,
                owner,
                people.reading(owner),
                people.reading(member),
                people.program("open"),
                people.channel("telegram"),
                new Someone("admin", TestClient.TOKEN, admin));
        int refused = 0;
        for (RpcMethod method : SessionMethods.ALL)
            for (Someone caller : callers) {
                // Deleted last of all, and never by this test: what is compared is who is refused.
                if (method.name().equals("sessions.delete")
                        && caller.client().get(theirs).status() == 200) continue;
                if (method.name().equals("events.subscribe")
                        && caller.client().get(theirs).status() == 200) continue;
                Answer byRest = byRest(method, caller, theirs);
                try (var rpc = new TestRpc(gateway.port(), "/api/agents/open/ws", caller.token())) {
                    var answer = rpc.call(method.name(), params(method, theirs));
                    String byRpc = answer.containsKey("result")
                            ? "ok"
                            : String.valueOf(TestRpc.part(TestRpc.part(answer, "error"), "data")
                                    .get("code"));
                    assertThat(byRpc)
                            .as("%s by %s", method.name(), caller.id())
                            .isEqualTo(byRest.status() < 300 ? "ok" : byRest.code());
                    if (!byRpc.equals("ok")) refused++;
                }
            }
        assertThat(refused).isGreaterThan(30);
    }

    @Test
    void what_is_done_over_it_is_recorded_as_by_its_route() throws Exception {
        String id = session(user);
        try (var rpc = open(user)) {
            rpc.result("messages.post", Map.of("session_id", id, "text", "hi"));
            rpc.call("messages.post", Map.of("session_id", id, "text", ""));
        }
        assertThat(admin.get("/api/audit?action=messages&user=" + user.id()).items())
                .hasSize(2)
                .allSatisfy(each -> assertThat(each)
                        .containsEntry("action", "messages.create")
                        .containsEntry("target", "/api/agents/main/sessions/" + id + "/messages")
                        .hasEntrySatisfying(
                                "details",
                                details -> assertThat(details.toString())
                                        .contains("transport=websocket", "route=POST /api/agents/{id}/sessions")))
                .extracting(each -> each.get("result"))
                .containsExactly("invalid", "ok");
        assertThat(admin.get("/api/audit?action=ws.open").items()).hasSize(1);
    }

    @Test
    void a_token_that_was_taken_back_is_refused_at_the_next_message_and_then_the_connection_is_closed()
            throws Exception {
        String id = session(user);
        try (var rpc = open(user)) {
            rpc.result("events.subscribe", Map.of("session_id", id));
            var token = user.client().get("/api/tokens").items().getFirst();
            admin.delete("/api/tokens/" + token.get("id"));
            assertThat(rpc.problem("messages.post", Map.of("session_id", id, "text", "still there?")))
                    .containsEntry("code", "unauthenticated")
                    .containsEntry("status", 401);
            gateway.recheckStreams();
            assertThat(rpc.socket.closed()).isEqualTo(1_008);
        }
    }

    @Test
    void who_may_not_see_a_session_any_more_stops_following_it() throws Exception {
        var owner = people.member("main", "owner");
        people.member("main", "owner");
        String id = session(user);
        try (var rpc = open(owner)) {
            rpc.result("events.subscribe", Map.of("session_id", id));
            admin.put("/api/agents/main/members/" + owner.id(), Map.of("role", "user"));
            gateway.recheckStreams();
            var ended = rpc.notification("subscription.ended");
            assertThat(TestRpc.part(TestRpc.part(ended, "error"), "data")).containsEntry("code", "not_found");
            post(user, id, "secret");
            assertThat(rpc.problem("messages.list", Map.of("session_id", id))).containsEntry("code", "not_found");
            admin.delete("/api/agents/main/members/" + owner.id());
            gateway.recheckStreams();
            assertThat(TestRpc.part(rpc.notification("closing"), "data")).containsEntry("code", "not_found");
            assertThat(rpc.socket.closed()).isEqualTo(1_008);
        }
    }

    @Test
    void a_client_that_reads_nothing_is_closed_all_the_same() {
        String id = session(user);
        for (int i = 0; i < 300; i++) post(user, id, "x".repeat(90_000));
        try (var deaf = new Raw(gateway.port())) {
            deaf.send(Raw.handshake(WS, "Authorization: Bearer " + user.token()));
            deaf.readUntil("\r\n\r\n");
            // More than the network's buffers take: soon whoever sends has to wait.
            deaf.send(frame("""
                    {"jsonrpc":"2.0","id":1,"method":"events.subscribe","params":{"session_id":"%s"}}""".formatted(id)));
            assertThat(deaf.readUntil("}}")).contains("\"subscription\":1");
            admin.delete("/api/agents/main/members/" + user.id());
            while (admin.get("/api/audit?action=ws.close").items().isEmpty()) gateway.recheckStreams();
        }
    }

    @Test
    void who_waits_for_an_answer_asks_for_it_and_does_not_hold_up_the_connection() throws Exception {
        String id = session(user);
        try (var rpc = open(user)) {
            for (var waiting : List.<Map<String, Object>>of(Map.of("wait", true), Map.of("wait_ms", 60_000))) {
                var problem = rpc.problem("messages.post", and(Map.of("session_id", id, "text", "hello"), waiting));
                assertThat(problem).containsEntry("code", "invalid");
                assertThat(problem.toString()).contains("messages.ask");
            }
            assertThat(rpc.problem("messages.ask", Map.of("session_id", id, "text", "hello", "wait", true)))
                    .containsEntry("status", 422);
            assertThat(TestRpc.part(rpc.call("messages.list", Map.of("session_id", id)), "result"))
                    .containsEntry("items", List.of());
        }
    }

    @Test
    void calls_that_take_long_hold_up_nothing_and_are_limited() throws Exception {
        String id = session(user);
        Map<String, Object> hang = Map.of("session_id", id, "tool", "exec", "arguments", Map.of("command", "hang"));
        try (var rpc = open(user)) {
            int first = rpc.send("tools.call", hang);
            assertThat(rpc.result("messages.post", Map.of("session_id", id, "text", "meanwhile")))
                    .containsEntry("type", "user_message");
            awaitStarted(1);
            assertThat(rpc.call("sessions.cancel", Map.of("session_id", id))).containsKey("result");
            assertThat(TestRpc.part(TestRpc.part(rpc.answer(first), "result"), "result"))
                    .containsEntry("end_reason", "cancelled");

            // The caller's own limit on commands counts here as everywhere.
            for (int i = 0; i < TestGateway.EXECS_PER_CALLER; i++) rpc.send("tools.call", hang);
            awaitStarted(1 + TestGateway.EXECS_PER_CALLER);
            assertThat(rpc.problem("tools.call", hang))
                    .containsEntry("code", "rate_limited")
                    .containsEntry("retry_after", 1);
            assertThat(rpc.call("sessions.cancel", Map.of("session_id", id))).containsKey("result");
        }
    }

    @Test
    void no_more_than_sixteen_long_calls_are_under_way_on_one_connection() throws Exception {
        String id = session(user);
        Map<String, Object> session = Map.of("session_id", id);
        try (var rpc = open(user)) {
            var background = Map.of("tool", "exec_background", "arguments", Map.of("command", "hang"));
            var exec = TestRpc.part(rpc.result("tools.call", and(session, background)), "result")
                    .get("exec_id");
            var waiting = Map.of("tool", "exec_status", "arguments", Map.of("exec_id", exec, "wait_ms", 60_000));
            for (int i = 0; i < 16; i++) rpc.send("tools.call", and(session, waiting));
            assertThat(rpc.problem("tools.call", and(session, waiting)))
                    .containsEntry("code", "rate_limited")
                    .containsEntry("detail", "16 calls are under way on this connection already");
            assertThat(rpc.result("sessions.cancel", session)).containsEntry("exec_ids", List.of(exec));
        }
    }

    @Test
    void subscriptions_count_as_streams_of_their_caller() throws Exception {
        String id = session(user);
        Map<String, Object> session = Map.of("session_id", id);
        try (var rpc = open(user)) {
            for (int i = 1; i < TestGateway.STREAMS_PER_CALLER; i++) rpc.result("events.subscribe", session);
            assertThat(rpc.problem("events.subscribe", session)).containsEntry("code", "rate_limited");
            rpc.call("events.unsubscribe", Map.of("subscription", 1));
            assertThat(rpc.result("events.subscribe", session)).containsKey("subscription");
        }
        // All of them are given back with the connection.
        while (true)
            try (var again = open(user)) {
                if (again.call("events.subscribe", session).containsKey("result")) return;
            } catch (CompletionException | AssertionError e) {
                Thread.onSpinWait();
            }
    }

    @Test
    void a_message_that_is_too_long_ends_the_connection() throws Exception {
        try (var rpc = open(user)) {
            rpc.socket.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + "x".repeat(1 << 20) + "\"}");
            assertThat(rpc.socket.closed()).isEqualTo(1_009);
        }
    }

    @Test
    void a_page_comes_with_a_ticket_and_only_from_where_it_may() {
        String ticket = String.valueOf(user.client()
                .post("/api/auth/ticket", Map.of("path", WS))
                .object()
                .get("ticket"));
        String origin = "http://localhost:" + gateway.port();
        String host = "Host: localhost:" + gateway.port();
        String page = Raw.handshake(WS + "?ticket=" + ticket, host, "Origin: https://evil.example");
        assertThat(Raw.exchange(gateway.port(), page)).startsWith("HTTP/1.1 403 ");
        try (var raw = new Raw(gateway.port())) {
            raw.send(Raw.handshake(WS + "?ticket=" + ticket, host, "Origin: " + origin));
            assertThat(raw.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 101 ");
        }
        String again = Raw.handshake(WS + "?ticket=" + ticket, host, "Origin: " + origin);
        assertThat(Raw.exchange(gateway.port(), again)).startsWith("HTTP/1.1 401 ");
    }

    /// Wherever a WebSocket is, a page of another site does not get it.
    @ParameterizedTest
    @ValueSource(strings = {"https://evil.example", "null", "http://localhost.evil.example", "http://localhost:1"})
    void no_socket_of_the_gateway_opens_for_a_foreign_page(String origin) {
        var sockets = gateway.routes().stream()
                .flatMap(each -> each.routes().stream())
                .filter(each -> each.method() == Method.WS)
                .map(Route::path)
                .toList();
        assertThat(sockets).hasSizeGreaterThan(1);
        for (String path : sockets) {
            String there = path.replace("{id}", "main").replaceAll("\\{[a-z_]+}", new UUID(1, 1).toString());
            assertThat(Raw.exchange(
                            gateway.port(),
                            Raw.handshake(there, "Origin: " + origin, "Authorization: Bearer " + TestClient.TOKEN)))
                    .startsWith("HTTP/1.1 403 ");
        }
    }

    @Test
    void binary_messages_are_no_requests() throws Exception {
        try (var socket = TestSocket.open(gateway.port(), WS, user.token())) {
            socket.send(new byte[] {1, 2, 3});
            assertThat(TestRpc.part(socket.message(), "error")).containsEntry("code", -32_600);
        }
    }

    private TestRpc open(Someone who) {
        return new TestRpc(gateway.port(), WS, who.token());
    }

    private static String session(Someone who) {
        return String.valueOf(who.client()
                .post("/api/agents/main/sessions", Map.of())
                .object()
                .get("session_id"));
    }

    private static void post(Someone who, String session, String text) {
        who.client().post("/api/agents/main/sessions/" + session + "/messages", Map.of("text", text));
    }

    private void awaitStarted(int count) {
        while (true)
            synchronized (gateway.docker.started) {
                if (gateway.docker.started.size() >= count) return;
                Thread.onSpinWait();
            }
    }

    private Answer byRest(RpcMethod method, Someone caller, String session) {
        String[] route = method.route().split(" ", -1);
        String path = route[1].replace("{id}", "open")
                .replace("{sid}", session.substring(session.lastIndexOf('/') + 1))
                .replace("{tool}", "list_files")
                .replace("{turn_id}", NO_TURN);
        return switch (route[0]) {
            case "GET" -> caller.client().get(path);
            case "DELETE" -> caller.client().delete(path);
            default ->
                switch (method.body()) {
                    case RpcMethod.Body.Nothing _ -> caller.client().send("POST", path, "");
                    case RpcMethod.Body.Others _, RpcMethod.Body.Member _ ->
                        caller.client().post(path, body(method));
                };
        };
    }

    private static Map<String, Object> params(RpcMethod method, String session) {
        var params = new LinkedHashMap<String, Object>();
        method.path()
                .forEach((parameter, name) -> params.put(
                        parameter,
                        switch (name) {
                            case "tool" -> "list_files";
                            case "turn_id" -> NO_TURN;
                            default -> session.substring(session.lastIndexOf('/') + 1);
                        }));
        switch (method.body()) {
            case RpcMethod.Body.Nothing _ -> {}
            case RpcMethod.Body.Others _ -> params.putAll(body(method));
            case RpcMethod.Body.Member(String name) -> params.put(name, body(method));
        }
        return params;
    }

    private static Map<String, Object> body(RpcMethod method) {
        return switch (method.name()) {
            case "messages.post" -> Map.of("text", "hello");
            case "tools.call" -> Map.of("path", "/root");
            default -> Map.of();
        };
    }

    private static List<Object> items(Map<String, Object> page) {
        if (!(page.get("items") instanceof List<?> items)) throw new AssertionError(page.toString());
        return new ArrayList<>(items);
    }

    private static Map<String, Object> and(Map<String, Object> some, String name, Object value) {
        return and(some, Map.of(name, value));
    }

    private static Map<String, Object> and(Map<String, Object> some, Map<String, Object> more) {
        var all = new LinkedHashMap<>(some);
        all.putAll(more);
        return all;
    }

    /// A short text message as a client sends it, masked with zeros.
    private static String frame(String text) {
        return "\u0081" + (char) (0x80 | 126) + (char) (text.length() >> 8) + (char) (text.length() & 0xff) + "\0\0\0\0"
                + text;
    }
}
