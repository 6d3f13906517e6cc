package hermit.mcp.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.TestGateway;
import hermit.http.TestClient.Answer;
import hermit.http.TestEvents;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The messages of the protocol, and the sessions that they belong to.
class McpRoutesTest extends McpTest {
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
        assertThat(post(user, session, request("x".repeat(257), "ping")).paths())
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
    void what_is_wrong_with_initialize_is_an_error_of_the_protocol() throws Exception {
        Answer answer = post(user, "", request(7, "initialize"));
        assertThat(answer.status()).isEqualTo(200);
        JsonNode message = json.readTree(answer.text());
        assertThat(message.get("id").asInt()).isEqualTo(7);
        assertThat(message.at("/error/code").asInt()).isEqualTo(-32_602);
        assertThat(message.at("/error/message").asText()).contains("protocolVersion");
    }

    @Test
    void an_idle_session_sleeps_on_while_it_is_listened_to_and_ended() throws Exception {
        gateway.time.advance(Duration.ofMinutes(61));
        gateway.endSilentSessions();
        try (var _ = TestEvents.open(request(user, session).GET().build())) {
            assertThat(user.client().send(request(user, session).DELETE()).status())
                    .isEqualTo(204);
        }
        assertThat(user.client().get("/api/agents/main/sessions/" + session).object())
                .containsEntry("end_reason", "idle");
    }

    @Test
    void whoever_listens_hears_that_the_tools_reach_other_sandboxes() throws Exception {
        try (var listening = TestEvents.open(request(user, session).GET().build())) {
            gateway.recheckStreams();
            admin.post("/api/agents/main/sandboxes", Map.of("type", "docker", "alias", "second"));
            gateway.recheckStreams();
            assertThat(listening.next().orElseThrow().data()).contains("notifications/tools/list_changed");
        }
    }
}
