package hermit.mcp.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import hermit.People;
import hermit.People.Someone;
import hermit.TestGateway;
import hermit.exec.ExecId;
import hermit.exec.Exit;
import hermit.http.TestClient;
import hermit.http.TestClient.Answer;
import hermit.http.TestEvents;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class McpRoutesTest {
    private static final String MCP = "/api/agents/main/mcp";

    private final TestGateway gateway = new TestGateway();
    private final TestClient admin = gateway.client;
    private final People people = new People(gateway);
    private final JsonMapper json = new JsonMapper();
    private Someone user = new Someone("", "", admin);
    private String session = "";

    @BeforeEach
    void a_session_of_a_user() {
        people.agent("main", "private");
        user = people.member("main", "user");
        session = initialize(user).header("Mcp-Session-Id");
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void initialize_agrees_upon_a_version_and_opens_a_session() throws Exception {
        Answer answer = initialize(user, "2025-03-26");
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(json.readTree(answer.text()).at("/result/protocolVersion").asText())
                .isEqualTo("2025-03-26");
        assertThat(json.readTree(initialize(user, "1999-01-01").text())
                        .at("/result/protocolVersion")
                        .asText())
                .isEqualTo("2025-11-25");
        assertThat(json.readTree(answer.text()).at("/result/serverInfo/version"))
                .isEqualTo(json.readTree(admin.get("/openapi.json").text()).at("/info/version"));
        var opened = user.client()
                .get("/api/agents/main/sessions/" + answer.header("Mcp-Session-Id"))
                .object();
        assertThat(opened).containsEntry("owner", "user:" + user.id()).containsEntry("state", "open");
        assertThat(opened.get("source")).isEqualTo(Map.of("kind", "mcp", "platform", "test"));
    }

    @Test
    void a_message_without_a_session_or_with_somebody_elses_is_refused() {
        assertThat(post(user, "", request(1, "ping")).status()).isEqualTo(400);
        assertThat(post(user, "0190d5e0-7c1a-7c3e-9d54-2f6c1d0a4b15", request(1, "ping"))
                        .status())
                .isEqualTo(404);
        var other = people.member("main", "user");
        assertThat(post(other, session, request(1, "ping")).status()).isEqualTo(404);
        assertThat(post(user, session, request(1, "ping")).status()).isEqualTo(200);
    }

    @Test
    void what_is_no_message_is_refused() {
        assertThat(post(user, session, Map.of("method", "ping", "id", 1)).paths())
                .containsExactly("jsonrpc");
        assertThat(post(user, session, Map.of("jsonrpc", "2.0", "id", 1)).paths())
                .containsExactly("method");
        assertThat(post(user, session, Map.of("jsonrpc", "2.0", "id", List.of(), "method", "ping"))
                        .paths())
                .containsExactly("id");
        var answer = send(
                user, session, BodyPublishers.ofString("[]"), "application/json", Map.of("Accept", "application/json"));
        assertThat(answer.status()).isEqualTo(400);
        var version = send(
                user,
                session,
                BodyPublishers.ofString("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"),
                "application/json",
                Map.of("MCP-Protocol-Version", "1999-01-01"));
        assertThat(version.paths()).containsExactly("MCP-Protocol-Version");
    }

    @Test
    void ids_come_back_exactly_and_notifications_need_no_answer() throws Exception {
        assertThat(post(user, session, request("a b", "ping")).text())
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":\"a b\",\"result\":{}}");
        assertThat(json.readTree(post(user, session, request(9_007_199_254_740_993L, "ping"))
                                .text())
                        .get("id")
                        .asText())
                .isEqualTo("9007199254740993");
        Answer said = post(user, session, Map.of("jsonrpc", "2.0", "method", "notifications/anything"));
        assertThat(said.status()).isEqualTo(202);
        assertThat(said.text()).isEmpty();
        assertThat(post(user, session, Map.of("jsonrpc", "2.0", "id", 1, "result", Map.of()))
                        .status())
                .isEqualTo(202);
    }

    @Test
    void who_accepts_json_only_gets_the_answer_and_nothing_else() throws Exception {
        JsonNode result = call(user, "exec", Map.of("command", "echo hello; exit 2"));
        assertThat(result.at("/structuredContent/stdout").asText()).isEqualTo("hello\n");
        assertThat(result.at("/structuredContent/exit_code").asInt()).isEqualTo(2);
        assertThat(result.at("/isError").asBoolean()).isFalse();
    }

    @Test
    void what_is_done_is_in_the_sessions_log_and_in_the_audit() {
        call(user, "exec", Map.of("command", "echo hello"));
        var audit = admin.get("/api/audit?action=mcp&limit=1").items().getFirst();
        assertThat(audit).containsEntry("action", "mcp.call").containsEntry("who", "user:" + user.id());
        assertThat(String.valueOf(audit.get("details")))
                .contains("method=tools/call", "tool=exec", "session=" + session);
        assertThat(admin.get("/api/audit?action=execs.start").items()).hasSize(1);
    }

    @Test
    void long_output_is_cut_and_read_on_by_its_id() {
        String line = "x".repeat(30_000);
        JsonNode cut = call(user, "exec", Map.of("command", "echo " + line)).at("/structuredContent");
        assertThat(cut.at("/stdout").asText()).hasSize(24 << 10);
        assertThat(cut.at("/stdout_truncated").asBoolean()).isTrue();
        JsonNode rest = call(
                        user,
                        "exec_status",
                        Map.of(
                                "exec_id", cut.at("/exec_id").asText(),
                                "stdout_offset", cut.at("/stdout_next_offset").asLong()))
                .at("/structuredContent");
        assertThat(cut.at("/stdout").asText() + rest.at("/stdout").asText()).isEqualTo(line + "\n");
        assertThat(rest.at("/stdout_truncated").asBoolean()).isFalse();
    }

    @Test
    void cancelling_one_call_leaves_the_others() throws Exception {
        var first = CompletableFuture.supplyAsync(() -> post(user, session, exec(1, "hang")));
        var second = CompletableFuture.supplyAsync(() -> post(user, session, exec(2, "hang")));
        awaitStarted(2);
        cancel(1);
        assertThat(json.readTree(first.get().text()).at("/error/message").asText())
                .isEqualTo("Cancelled");
        var execs = admin.get("/api/agents/main/sandboxes/default/execs").items();
        assertThat(execs.stream().filter(each -> "running".equals(each.get("state"))))
                .hasSizeLessThanOrEqualTo(2);
        assertThat(second.isDone()).isFalse();
        cancel(2);
        second.get();
    }

    @Test
    void a_call_that_is_cancelled_while_its_machine_comes_up_never_begins() throws Exception {
        gateway.docker.gate = new CountDownLatch(1);
        var call = CompletableFuture.supplyAsync(() -> post(user, session, exec(1, "echo never")));
        while (gateway.docker.ensures.get() == 0) Thread.onSpinWait();
        cancel(1);
        call.get();
        gateway.docker.gate.countDown();
        while (gateway.docker.state(sandboxId()).isEmpty()) Thread.onSpinWait();
        assertThat(call(user, "list_files", Map.of("path", "/root"))
                        .at("/isError")
                        .asBoolean())
                .isFalse();
        assertThat(admin.get("/api/agents/main/sandboxes/default/execs").items())
                .isEmpty();
    }

    @Test
    void a_call_of_which_the_client_hears_no_more_goes_on() throws Exception {
        try (var stream = TestEvents.open(streamed(exec(1, "echo live; hang"), "token"))) {
            assertThat(awaitProgress(stream, "live\n")).isTrue();
        }
        var execs = admin.get("/api/agents/main/sandboxes/default/execs").items();
        assertThat(execs).singleElement().satisfies(each -> assertThat(each).containsEntry("state", "running"));
    }

    @Test
    void the_operators_secrets_are_told_neither_live_nor_in_the_end() throws Exception {
        String begin = TestClient.TOKEN.substring(0, 20);
        try (var stream = TestEvents.open(streamed(exec(1, "echo key; hang"), "token"))) {
            assertThat(awaitProgress(stream, "key\n")).isTrue();
            ExecId exec = gateway.docker.started.getFirst();
            // In two pieces, of which neither is a secret by itself.
            gateway.docker.print(sandboxId(), exec, ("is " + begin).getBytes(StandardCharsets.UTF_8));
            assertThat(awaitProgress(stream, "is ")).isTrue();
            String rest = TestClient.TOKEN.substring(20) + ", and now hat";
            gateway.docker.print(sandboxId(), exec, rest.getBytes(StandardCharsets.UTF_8));
            assertThat(awaitProgress(stream, "(hidden), and now ")).isTrue();
            gateway.docker.finish(sandboxId(), exec, new Exit.Exited(0));
            // What was held back, since it might have gone on, was none.
            assertThat(awaitProgress(stream, "hat")).isTrue();
            assertThat(last(stream).get("message")).contains("key\\nis (hidden), and now hat");
        }
    }

    @Test
    void no_part_of_a_secret_is_left_where_a_result_is_cut() {
        String much = "x".repeat(24 * 1024 - 10);
        var cut = call(user, "exec", Map.of("command", "echo " + much + TestClient.TOKEN + " and more"))
                .at("/structuredContent");
        assertThat(cut.at("/stdout").asText()).isEqualTo(much);
        assertThat(cut.at("/stdout_next_offset").asLong()).isEqualTo(much.length());
        var rest = call(
                        user,
                        "exec_status",
                        Map.of(
                                "exec_id", cut.at("/exec_id").asText(),
                                "stdout_offset", cut.at("/stdout_next_offset").asLong()))
                .at("/structuredContent");
        assertThat(rest.at("/stdout").asText()).isEqualTo("(hidden) and more\n");
    }

    @Test
    void whoever_is_no_member_any_more_hears_no_more() throws Exception {
        try (var call = TestEvents.open(streamed(exec(1, "echo live; hang"), "token"));
                var listening = TestEvents.open(request(user, session).GET().build())) {
            assertThat(awaitProgress(call, "live\n")).isTrue();
            admin.delete("/api/agents/main/members/" + user.id());
            gateway.recheckStreams();
            var last = last(call);
            assertThat(last.get("message")).contains("\"error\"", "\"id\":1");
            assertThat(last.get("error")).contains("not_found");
            assertThat(last(listening).get("error")).contains("not_found");
        }
        assertThat(post(user, session, request(2, "ping")).status()).isEqualTo(404);
    }

    @Test
    void only_calls_that_are_told_of_count_as_streams() throws Exception {
        var streams = new ArrayList<TestEvents>();
        for (int i = 0; i < TestGateway.STREAMS_PER_CALLER; i++)
            streams.add(TestEvents.open(request(user, session).GET().build()));
        var refused = user.client().send(streaming(exec(1, "echo never"), "token"));
        assertThat(json.readTree(refused.text()).at("/error/data/code").asText())
                .isEqualTo("rate_limited");
        assertThat(user.client()
                        .send(streaming(request(2, "tools/list"), "token"))
                        .status())
                .isEqualTo(200);
        assertThat(gateway.docker.started).isEmpty();
        streams.forEach(TestEvents::close);
    }

    @Test
    void a_session_that_is_ended_ends_what_is_heard_of_it() throws Exception {
        try (var listening = TestEvents.open(request(user, session).GET().build())) {
            user.client().send(request(user, session).DELETE());
            assertThat(last(listening).get("error")).contains("This session has ended");
        }
    }

    @Test
    void an_approval_that_nobody_decides_expires() throws Exception {
        supervised();
        var call = CompletableFuture.supplyAsync(() -> post(user, session, exec(1, "echo never")));
        while (admin.get("/api/approvals?state=pending").items().isEmpty()) Thread.onSpinWait();
        gateway.time.advance(Duration.ofMinutes(11));
        gateway.poll();
        JsonNode result = json.readTree(call.get().text()).get("result");
        assertThat(result.at("/isError").asBoolean()).isTrue();
        assertThat(result.at("/structuredContent/code").asText()).isEqualTo("expired");
        assertThat(gateway.docker.started).isEmpty();
    }

    @Test
    void a_call_that_is_cancelled_takes_back_its_own_approval_and_no_other() throws Exception {
        supervised();
        var first = CompletableFuture.supplyAsync(() -> post(user, session, exec(1, "echo first")));
        var second = CompletableFuture.supplyAsync(() -> post(user, session, exec(2, "echo second")));
        while (admin.get("/api/approvals?state=pending").items().size() < 2) Thread.onSpinWait();
        cancel(1);
        first.get();
        var cancelled = admin.get("/api/approvals?state=cancelled").items();
        assertThat(cancelled)
                .singleElement()
                .satisfies(each -> assertThat(String.valueOf(each)).contains("echo first", "the call was cancelled"));
        assertThat(second.isDone()).isFalse();
        cancel(2);
        second.get();
    }

    @Test
    void an_approved_call_has_its_whole_result() throws Exception {
        supervised();
        String line = "y".repeat(20_000);
        var call = CompletableFuture.supplyAsync(() -> post(user, session, exec(1, "echo " + line)));
        while (admin.get("/api/approvals?state=pending").items().isEmpty()) Thread.onSpinWait();
        var id = admin.get("/api/approvals?state=pending").items().getFirst().get("id");
        admin.post("/api/approvals/" + id + "/decision", Map.of("decision", "approve"));
        JsonNode result = json.readTree(call.get().text()).get("result");
        assertThat(result.at("/structuredContent/stdout").asText()).isEqualTo(line + "\n");
    }

    @Test
    void an_idle_session_wakes_up_and_an_ended_one_does_not() {
        gateway.time.advance(Duration.ofMinutes(61));
        gateway.endSilentSessions();
        String path = "/api/agents/main/sessions/" + session;
        assertThat(user.client().get(path).object()).containsEntry("end_reason", "idle");
        assertThat(post(user, session, request(1, "ping")).status()).isEqualTo(200);
        assertThat(user.client().get(path).object()).containsEntry("state", "open");
        var ended = user.client().send(request(user, session).DELETE());
        assertThat(ended.status()).isEqualTo(204);
        assertThat(post(user, session, request(2, "ping")).status()).isEqualTo(404);
        assertThat(user.client().send(request(user, session).DELETE()).status()).isEqualTo(404);
    }

    @Test
    void a_channel_cannot_say_for_whom_it_speaks() {
        people.policy("main", "public");
        assertThat(initialize(people.channel("telegram")).code()).isEqualTo("forbidden");
    }

    @Test
    void a_stranger_to_a_public_agent_becomes_its_guest() {
        people.policy("main", "public");
        var stranger = people.person("somebody");
        String own = initialize(stranger).header("Mcp-Session-Id");
        assertThat(post(stranger, own, request(1, "tools/list")).text())
                .contains("read_file")
                .doesNotContain("\"exec\"");
    }

    @Test
    void listing_resources_brings_no_machine_up() throws Exception {
        JsonNode before =
                json.readTree(post(user, session, request(1, "resources/list")).text());
        assertThat(before.at("/result/resources")).isEmpty();
        assertThat(gateway.docker.ensures.get()).isZero();
        call(user, "write_file", Map.of("path", "a.txt", "content", "hello"));
        JsonNode after =
                json.readTree(post(user, session, request(2, "resources/list")).text());
        assertThat(after.at("/result/resources/0/uri").asText()).isEqualTo("sandbox://default/root/a.txt");
    }

    @Test
    void too_large_a_file_is_no_resource() throws Exception {
        call(user, "write_file", Map.of("path", "big", "content", "x".repeat(1 << 20)));
        call(user, "exec", Map.of("command", "exit 0"));
        JsonNode fits = resource("sandbox://default/root/big");
        assertThat(fits.at("/result/contents/0/text").asText()).hasSize(1 << 20);
        admin.send(admin.request("/api/agents/main/sandboxes/default/files?path=big")
                .PUT(BodyPublishers.ofString("x".repeat((1 << 20) + 1))));
        assertThat(resource("sandbox://default/root/big").at("/error/data/code").asText())
                .isEqualTo("too_large");
    }

    private JsonNode resource(String uri) throws Exception {
        return json.readTree(post(user, session, message(7, "resources/read", Map.of("uri", uri)))
                .text());
    }

    private void supervised() {
        admin.put(
                "/api/agents/main/security",
                Map.of("access", "private", "autonomy_level", "supervised", "require_approval_for", List.of("exec")));
    }

    private UUID sandboxId() {
        return UUID.fromString(String.valueOf(
                admin.get("/api/agents/main/sandboxes/default").object().get("id")));
    }

    private void awaitStarted(int commands) {
        while (true) {
            synchronized (gateway.docker.started) {
                if (gateway.docker.started.size() == commands) return;
            }
            Thread.onSpinWait();
        }
    }

    private void cancel(int id) {
        var params = Map.of("requestId", id, "reason", "enough");
        var message = Map.of("jsonrpc", "2.0", "method", "notifications/cancelled", "params", params);
        assertThat(post(user, session, message).status()).isEqualTo(202);
    }

    private boolean awaitProgress(TestEvents stream, String text) throws Exception {
        for (var event = stream.next(); event.isPresent(); event = stream.next()) {
            JsonNode message = json.readTree(event.get().data());
            if (message.at("/params/message").asText().equals(text)) return true;
        }
        return false;
    }

    /// The last event of each name.
    private static Map<String, String> last(TestEvents stream) throws Exception {
        var last = new HashMap<String, String>();
        for (var event = stream.next(); event.isPresent(); event = stream.next())
            last.put(event.get().name(), event.get().data());
        return last;
    }

    private JsonNode call(Someone who, String tool, Map<String, Object> arguments) {
        Answer answer = post(who, session, message(99, "tools/call", Map.of("name", tool, "arguments", arguments)));
        try {
            return json.readTree(answer.text()).get("result");
        } catch (Exception e) {
            throw new AssertionError(answer.text(), e);
        }
    }

    private static Map<String, Object> exec(int id, String command) {
        return message(id, "tools/call", Map.of("name", "exec", "arguments", Map.of("command", command)));
    }

    private static Map<String, Object> request(Object id, String method) {
        return message(id, method, Map.of());
    }

    private static Map<String, Object> message(Object id, String method, Map<String, Object> params) {
        var message = new LinkedHashMap<String, Object>(Map.of("jsonrpc", "2.0", "method", method));
        message.put("id", id);
        message.put("params", params);
        return message;
    }

    private Answer initialize(Someone who) {
        return initialize(who, "2025-06-18");
    }

    private Answer initialize(Someone who, String version) {
        var client = Map.of("name", "test", "version", "1");
        return post(
                who,
                "",
                message(
                        0,
                        "initialize",
                        Map.of("protocolVersion", version, "capabilities", Map.of(), "clientInfo", client)));
    }

    private Answer post(Someone who, String session, Map<String, Object> message) {
        return send(
                who,
                session,
                BodyPublishers.ofString(write(message)),
                "application/json",
                Map.of("Accept", "application/json"));
    }

    private Answer send(
            Someone who, String session, HttpRequest.BodyPublisher body, String type, Map<String, String> headers) {
        var request = request(who, session).header("Content-Type", type).POST(body);
        headers.forEach(request::header);
        return who.client().send(request);
    }

    private HttpRequest streamed(Map<String, Object> message, String progressToken) {
        return streaming(message, progressToken).build();
    }

    private HttpRequest.Builder streaming(Map<String, Object> message, String progressToken) {
        var params = copy(Objects.requireNonNull(message.get("params")));
        params.put("_meta", Map.of("progressToken", progressToken));
        message.put("params", params);
        return request(user, session)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .POST(BodyPublishers.ofString(write(message)));
    }

    private static Map<String, Object> copy(Object map) {
        var copy = new LinkedHashMap<String, Object>();
        ((Map<?, ?>) map).forEach((key, value) -> copy.put(String.valueOf(key), value));
        return copy;
    }

    private static HttpRequest.Builder request(Someone who, String session) {
        var request = who.client().request(MCP);
        return session.isEmpty() ? request : request.header("Mcp-Session-Id", session);
    }

    private String write(Object value) {
        try {
            return json.writeValueAsString(value);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
