package hermit.audit.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import hermit.People;
import hermit.TestGateway;
import hermit.api.ApiJson;
import hermit.http.Raw;
import hermit.http.TestSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
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
class AuditRoutesTest {
    private static final String SANDBOX = "/api/agents/main/sandboxes/default";

    private final TestGateway gateway = new TestGateway();
    private final People people = new People(gateway);

    @BeforeEach
    void an_agent() {
        people.agent("main", "private");
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void a_change_is_recorded_with_who_from_where_what_on_what_and_how_it_went() {
        var owner = people.member("main", "owner");
        var answer = owner.client()
                .send(owner.client()
                        .request("/api/agents/main/sandboxes/default?force=true")
                        .header("X-Request-Id", "mine-1")
                        .DELETE());
        assertThat(answer.status()).isEqualTo(400);
        owner.client()
                .send(owner.client()
                        .request("/api/agents/main")
                        .header("X-Request-Id", "mine-2")
                        .DELETE());
        assertThat(records("?user=" + owner.id()))
                .extracting(each -> each.get("request_id"))
                .containsExactly("mine-2", "mine-1");
        var deleted = records("?user=user:" + owner.id()).getFirst();
        assertThat(deleted)
                .containsEntry("who", "user:" + owner.id())
                .containsEntry("address", "127.0.0.1")
                .containsEntry("action", "agents.delete")
                .containsEntry("target", "/api/agents/main")
                .containsEntry("result", "ok")
                .containsEntry("at", "2026-11-01T10:00:00Z")
                .containsEntry("details", Map.of("route", "DELETE /api/agents/{id}", "status", "204"));
        assertThat(UUID.fromString(String.valueOf(deleted.get("agent_uid")))).isNotNull();
        var refused = records("?action=sandboxes.delete").getFirst();
        assertThat(refused).containsEntry("result", "invalid").containsEntry("target", SANDBOX);
    }

    @Test
    void what_was_made_is_named() {
        String user = people.person("Ada").id();
        assertThat(details(records("?action=users.create").getFirst()))
                .containsEntry("location", "/api/users/" + user)
                .containsEntry("status", "201");
    }

    @Test
    void reading_is_not_recorded_unless_it_is_refused() {
        var eve = people.person("Eve");
        int before = records("").size();
        gateway.client.get("/api/agents/main");
        gateway.client.get("/api/agents/nobody");
        eve.client().get("/api/agents");
        eve.client().get("/api/agents/main/config");
        gateway.client.anonymous().get("/api/agents");
        assertThat(records("")).hasSize(before);
        eve.client().get("/api/users");
        assertThat(records("").getFirst())
                .containsEntry("action", "users.read")
                .containsEntry("result", "forbidden")
                .containsEntry("who", "user:" + eve.id());
        assertThat(records("")).hasSize(before + 1);
    }

    @Test
    void logins_good_and_bad_are_recorded_without_what_was_shown() {
        var ada = people.person("Ada");
        var page = gateway.client.anonymous();
        page.post("/api/auth/login", Map.of("token", ada.token()));
        page.post("/api/auth/login", Map.of("token", "hut_CANARY-wrong"));
        gateway.client.as("hut_CANARY-worse").get("/api/agents");
        var logins = records("?action=auth.login");
        assertThat(logins).extracting(each -> each.get("who")).containsExactly("anonymous", "user:" + ada.id());
        assertThat(logins).extracting(each -> each.get("result")).containsExactly("unauthenticated", "ok");
        assertThat(records("").getFirst())
                .containsEntry("action", "agents.read")
                .containsEntry("result", "unauthenticated");
        assertThat(gateway.client.get("/api/audit/export").text())
                .doesNotContain("CANARY")
                .doesNotContain(ada.token());
    }

    @Test
    void denials_are_recorded_also_where_a_private_agent_looks_like_none() {
        var eve = people.person("Eve");
        eve.client().delete("/api/agents/main");
        eve.client().delete("/api/agents/nobody");
        eve.client().get(SANDBOX + "/execs/" + new UUID(1, 1) + "/events");
        Raw.exchange(
                gateway.port(),
                Raw.handshake(SANDBOX + "/terminals/" + new UUID(1, 1), "Authorization: Bearer " + eve.token()));
        assertThat(records("?user=" + eve.id()))
                .extracting(each -> each.get("action"))
                .containsExactly("terminals.open", "events.read", "agents.delete", "agents.delete");
        assertThat(records("?user=" + eve.id())).allMatch(each -> "not_found".equals(each.get("result")));
    }

    @Test
    void a_command_is_recorded_before_it_starts_and_when_it_has_ended() {
        var owner = people.member("main", "owner");
        var ran = owner.client().post(SANDBOX + "/execs", Map.of("command", "echo hello; exit 3"));
        var execs = records("?action=execs&user=" + owner.id());
        assertThat(execs)
                .extracting(each -> each.get("action"))
                .containsExactlyInAnyOrder("execs.start", "execs.end", "execs.create");
        var start = records("?action=execs.start").getFirst();
        assertThat(details(start))
                .containsEntry("exec_id", ran.object().get("exec_id"))
                .containsEntry("command", "echo hello; exit 3")
                .containsEntry("cwd", "/root")
                .containsKey("command_sha256");
        assertThat(start.get("target"))
                .isEqualTo(SANDBOX + "/execs/" + ran.object().get("exec_id"));
        assertThat(records("?action=execs.end").getFirst()).containsEntry("result", "exited");
        assertThat(details(records("?action=execs.end").getFirst())).containsEntry("exit_code", "3");
        assertThat(owner.client()
                        .get("/api/agents/main/audit?action=execs.start")
                        .items())
                .hasSize(1);
    }

    @Test
    void what_cannot_start_has_an_end_that_says_so() {
        gateway.client.post(SANDBOX + "/execs", Map.of("command", "true", "cwd", "missing"));
        assertThat(records("?action=execs.end").getFirst()).containsEntry("result", "not_started");
        assertThat(records("?action=execs.create").getFirst()).containsEntry("result", "cwd_not_found");
    }

    @Test
    void a_terminal_is_recorded_and_each_look_at_it() throws Exception {
        String terminal = gateway.client.post(SANDBOX + "/terminals", Map.of()).header("Location");
        String ticket = String.valueOf(gateway.client
                .post("/api/auth/ticket", Map.of("path", terminal))
                .object()
                .get("ticket"));
        try (var viewer = TestSocket.openAsPage(gateway.port(), terminal + "?ticket=" + ticket)) {
            viewer.message("replay");
            viewer.type("exit 0\n");
            assertThat(viewer.closed()).isEqualTo(1_000);
        }
        List<Object> actions = List.of();
        // The connection is closed before that is recorded.
        while (!actions.contains("terminals.close") || !actions.contains("terminals.end"))
            actions = records("?action=terminals").stream()
                    .map(each -> each.get("action"))
                    .toList();
        assertThat(actions)
                .containsExactlyInAnyOrder(
                        "terminals.start", "terminals.create", "terminals.open", "terminals.close", "terminals.end");
        assertThat(records("?action=terminals.open").getFirst())
                .containsEntry("target", terminal)
                .containsEntry("who", "admin");
        assertThat(gateway.client.get("/api/audit/export").text()).doesNotContain(ticket);
    }

    @Test
    void no_secret_is_ever_in_it() {
        var ada = people.member("main", "owner");
        String policy = """
                {"access": "protected", "autonomy_level": "full", "require_approval_for": [], "access_token": "CANARY-1"}""";
        ada.client().send("PUT", "/api/agents/main/security", policy);
        people.person("Eve").client().post("/api/agents/main/members", Map.of("access_token", "CANARY-2"));
        ada.client()
                .post(
                        SANDBOX + "/execs",
                        Map.of("command", "true", "env", Map.of("KEY", "CANARY-3"), "stdin", "CANARY-4"));
        ada.client().post("/api/agents/main/sandboxes?x=CANARY-5", Map.of("type", "docker"));
        ada.client()
                .post(
                        "/api/agents/main/sandboxes",
                        Map.of("type", "docker", "alias", "b", "config", Map.of("env", Map.of("K", "CANARY-6"))));
        String all = gateway.client.get("/api/audit/export").text();
        assertThat(all).contains("security.replace").doesNotContain("CANARY").doesNotContain(ada.token());
    }

    @ParameterizedTest
    @CsvSource({"approve, approved", "deny, denied"})
    void a_decision_is_recorded_with_how_it_was_decided_and_for_which_agent(String decision, String recorded) {
        gateway.client.put(
                "/api/agents/main/security",
                Map.of("access", "private", "autonomy_level", "supervised", "require_approval_for", List.of("exec")));
        var owner = people.member("main", "owner");
        var user = people.member("main", "user");
        String session =
                user.client().post("/api/agents/main/sessions", Map.of()).header("Location");
        String approval = user.client()
                .post(session + "/tools/exec", Map.of("command", "echo x"))
                .header("Location");
        owner.client().post(approval + "/decision", Map.of("decision", decision));
        var found = owner.client()
                .get("/api/agents/main/audit?action=approvals.decision")
                .items();
        assertThat(found).hasSize(1);
        assertThat(found.getFirst())
                .containsEntry("who", "user:" + owner.id())
                .containsEntry("target", approval + "/decision");
        assertThat(details(found.getFirst())).containsEntry("decision", recorded);
    }

    @Test
    void a_file_that_is_removed_is_named() {
        gateway.client.delete(SANDBOX + "/files?path=/root/notes.txt");
        assertThat(details(records("?action=files.delete").getFirst())).containsEntry("path", "/root/notes.txt");
    }

    @Test
    void whoever_owns_an_agent_sees_how_it_was_made() {
        var ada = people.person("Ada");
        ada.client().post("/api/agents", Map.of("id", "hers"));
        assertThat(ada.client()
                        .get("/api/agents/hers/audit?action=agents.create")
                        .items())
                .hasSize(1);
    }

    @Test
    void an_owner_sees_what_was_done_to_their_agent_and_nothing_else() {
        people.agent("other", "private");
        var owner = people.member("main", "owner");
        gateway.client.put("/api/agents/other/config", Map.of());
        gateway.client.put("/api/agents/main/config", Map.of());
        var seen = owner.client().get("/api/agents/main/audit").items();
        assertThat(seen).extracting(each -> each.get("target")).contains("/api/agents/main/config");
        assertThat(seen).noneMatch(each -> String.valueOf(each.get("target")).contains("other"));
        assertThat(owner.client().get("/api/audit").status()).isEqualTo(403);
        assertThat(people.member("main", "user")
                        .client()
                        .get("/api/agents/main/audit")
                        .status())
                .isEqualTo(403);
    }

    @Test
    void what_was_done_to_an_agent_is_found_by_its_uid_when_it_is_gone() {
        String uid =
                String.valueOf(gateway.client.get("/api/agents/main").object().get("uid"));
        gateway.client.delete("/api/agents/main");
        assertThat(records("?agent=" + uid + "&action=agents.delete")).hasSize(1);
        assertThat(gateway.client.get("/api/audit?agent=main").paths()).containsExactly("agent");
        gateway.client.post("/api/agents", Map.of("id", "main"));
        assertThat(records("?agent=main"))
                .extracting(each -> each.get("action"))
                .containsExactly("agents.create");
    }

    @Test
    void it_is_listed_in_pieces_and_by_time() {
        for (int i = 0; i < 5; i++) {
            gateway.time.advance(Duration.ofSeconds(10));
            gateway.client.put("/api/agents/main/config", Map.of());
        }
        var first = gateway.client.get("/api/audit?action=config.replace&limit=3");
        assertThat(first.items()).hasSize(3);
        var second = gateway.client.get("/api/audit?action=config.replace&limit=3&cursor="
                + first.object().get("next_cursor"));
        assertThat(second.items()).hasSize(2);
        assertThat(second.object().get("next_cursor")).isNull();
        assertThat(records("?action=config&since=2026-11-01T10:00:20Z&until=2026-11-01T10:00:40Z"))
                .extracting(each -> each.get("at"))
                .containsExactly("2026-11-01T10:00:30Z", "2026-11-01T10:00:20Z");
        assertThat(gateway.client.get("/api/audit?since=yesterday").paths()).containsExactly("since");
        assertThat(gateway.client.get("/api/audit?cursor=eA").paths()).containsExactly("cursor");
    }

    @Test
    void the_export_is_one_chain_in_order_with_a_last_line() throws Exception {
        var lines = new ArrayList<JsonNode>();
        var exported = gateway.client.get("/api/audit/export");
        assertThat(exported.header("Content-Type")).isEqualTo("application/x-ndjson");
        for (String line : exported.text().lines().toList()) lines.add(json(line));
        JsonNode end = lines.removeLast();
        assertThat(end.get("end").asBoolean()).isTrue();
        assertThat(end.get("records").asInt()).isEqualTo(lines.size()).isGreaterThan(1);
        String previous = "0".repeat(64);
        long number = 1;
        for (JsonNode each : lines) {
            assertThat(each.get("previous_sha256").asText()).isEqualTo(previous);
            assertThat(each.get("number").asLong()).isEqualTo(number++);
            previous = each.get("sha256").asText();
        }
    }

    @Test
    void the_chain_is_verified() {
        var verified = gateway.client.get("/api/audit/verify").object();
        assertThat(verified).containsEntry("state", "intact");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUT", "PATCH", "DELETE", "POST"})
    void nothing_changes_it_over_http(String method) {
        for (String path : List.of("/api/audit", "/api/audit/export", "/api/audit/1", "/api/agents/main/audit"))
            assertThat(gateway.client.send(method, path, "{}").status()).isIn(404, 405);
    }

    @Test
    void whoever_is_refused_again_and_again_fills_nothing_and_is_counted() {
        var eve = people.person("Eve");
        for (int i = 0; i < 150; i++) eve.client().delete("/api/agents/main");
        assertThat(count(eve.id())).isEqualTo(100);
        gateway.time.advance(Duration.ofSeconds(1));
        eve.client().delete("/api/agents/main");
        assertThat(details(records("?user=" + eve.id()).getFirst())).containsEntry("failures_left_out", "50");
        assertThat(eve.client().post("/api/agents", Map.of("id", "hers")).status())
                .isEqualTo(201);
        assertThat(records("").getFirst()).containsEntry("action", "agents.create");
    }

    private int count(String user) {
        return gateway.client.get("/api/audit?limit=200&user=" + user).items().size();
    }

    private List<Map<String, Object>> records(String query) {
        return gateway.client.get("/api/audit" + query).items();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> details(Map<String, Object> record) {
        return (Map<String, Object>) record.getOrDefault("details", Map.of());
    }

    private static JsonNode json(String line) throws JsonProcessingException {
        JsonNode node = ApiJson.mapper().readTree(line);
        var names = Set.copyOf(node.properties().stream().map(Map.Entry::getKey).toList());
        assertThat(names).containsAnyOf("sha256", "end");
        return node;
    }
}
