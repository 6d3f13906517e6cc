package hermit.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.TestGateway;
import hermit.http.TestClient.Answer;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class AgentRoutesTest {
    private final TestGateway gateway = new TestGateway();

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void an_agent_is_made_found_and_deleted() {
        var created = post(Map.of("id", "main", "name", "Main agent"));
        assertThat(created.status()).isEqualTo(201);
        assertThat(created.header("Location")).isEqualTo("/api/agents/main");
        assertThat(created.object())
                .containsEntry("id", "main")
                .containsEntry("name", "Main agent")
                .containsEntry("created_at", "2026-11-01T10:00:00Z");
        assertThat(gateway.client.get("/api/agents/main").object()).isEqualTo(created.object());
        assertThat(gateway.client.delete("/api/agents/main").status()).isEqualTo(204);
        assertThat(gateway.client.get("/api/agents/main").status()).isEqualTo(404);
        assertThat(gateway.client.delete("/api/agents/main").code()).isEqualTo("not_found");
    }

    @Test
    void an_agent_of_the_same_id_inherits_nothing() {
        Object uid = post(Map.of("id", "main")).object().getOrDefault("uid", "");
        gateway.client.post("/api/agents/main/sandboxes", Map.of("type", "docker", "alias", "second"));
        gateway.client.delete("/api/agents/main");
        assertThat(post(Map.of("id", "main")).object().get("uid")).isNotEqualTo(uid);
        assertThat(gateway.client.get("/api/agents/main/sandboxes").items()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "..", "../x", "a/b", "a b", "$(id)", "a;rm -rf", "-a", "A", "ä", "a\n", "a\u0000", "."})
    void an_id_that_is_no_slug_is_refused(String id) {
        assertThat(post(Map.of("id", id)).paths()).containsExactly("id");
    }

    @Test
    void an_id_of_3000_characters_is_refused_and_not_sent_back() {
        var answer = post(Map.of("id", "x".repeat(3_000)));
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.text()).hasSizeLessThan(1_000);
        assertThat(post(Map.of("id", "x".repeat(64))).status()).isEqualTo(400);
        assertThat(post(Map.of("id", "x".repeat(63))).status()).isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(strings = {"..", "%2e%2e", "A", "a%20b", "x%00", "a%2Fb", "a;b"})
    void what_cannot_be_an_id_is_not_found_in_a_path(String id) {
        assertThat(gateway.client.get("/api/agents/x").status()).isEqualTo(404);
        String raw = hermit.http.Raw.exchange(
                gateway.port(),
                hermit.http.Raw.request(
                        "GET /api/agents/" + id, "Authorization: Bearer " + hermit.http.TestClient.TOKEN));
        assertThat(raw).matches("(?s)HTTP/1.1 (404|400) .*").contains("application/problem+json");
    }

    @Test
    void without_a_word_an_agent_gets_the_default_preset() {
        post(Map.of("id", "main"));
        assertThat(gateway.client.get("/api/agents/main/sandboxes").items())
                .singleElement()
                .satisfies(row -> assertThat(row)
                        .containsEntry("alias", "default")
                        .containsEntry("type", "docker")
                        .containsEntry("status", "pending")
                        .containsEntry("config", Map.of("image", "debian:13")));
    }

    @Test
    void a_name_chooses_a_preset_and_null_none() {
        post(Map.of("id", "cloudy", "sandbox", "e2b-default"));
        assertThat(gateway.client.get("/api/agents/cloudy/sandboxes").items())
                .singleElement()
                .satisfies(row -> assertThat(row).containsEntry("type", "e2b"));
        assertThat(gateway.client
                        .send("POST", "/api/agents", "{\"id\":\"bare\",\"sandbox\":null}")
                        .status())
                .isEqualTo(201);
        assertThat(gateway.client.get("/api/agents/bare/sandboxes").items()).isEmpty();
    }

    @Test
    void with_no_default_preset_a_new_agent_has_no_sandbox() {
        try (var other = new TestGateway(Optional.empty())) {
            other.client.post("/api/agents", Map.of("id", "main"));
            assertThat(other.client.get("/api/agents/main/sandboxes").items()).isEmpty();
            assertThat(other.client.get("/api/sandbox-presets").text()).contains("\"auto_provision_sandbox\":null");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"\"", "\"no-such\"", "5", "true", "{}", "[\"docker-ubuntu\"]"})
    void any_other_sandbox_is_refused_and_no_agent_is_left_behind(String sandbox) {
        String body = "{\"id\":\"main\",\"sandbox\":%s}";
        var refused = gateway.client.send("POST", "/api/agents", body.formatted(sandbox));
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.paths()).containsExactly("sandbox");
        assertThat(gateway.client.get("/api/agents/main").status()).isEqualTo(404);
        assertThat(gateway.client
                        .send("POST", "/api/agents", body.formatted("\"docker-ubuntu\""))
                        .status())
                .isEqualTo(201);
    }

    static List<Map<String, Object>> refused() {
        return List.of(
                Map.of("security", Map.of("access", "everybody")),
                Map.of("security", Map.of("autonomy_level", 3)),
                Map.of("security", Map.of("require_approval_for", "exec")),
                Map.of("security", List.of()),
                Map.of("config", Map.of("exec", Map.of("lifecycle", Map.of("stop", "never")))),
                Map.of("config", "none"),
                Map.of("sandbox", "docker-ubunt"),
                Map.of("name", ""),
                Map.of("colour", "red"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void a_refused_create_leaves_nothing_so_that_the_corrected_one_succeeds(Map<String, Object> wrong) {
        var body = new HashMap<>(wrong);
        body.put("id", "main");
        assertThat(post(body).status()).isEqualTo(400);
        assertThat(gateway.client.get("/api/agents").items()).isEmpty();
        assertThat(post(Map.of("id", "main")).status()).isEqualTo(201);
    }

    @Test
    void all_mistakes_of_a_request_are_told_at_once() {
        var answer = post(Map.of(
                "id", "NO", "sandbox", "docker-ubunt", "nmae", "x", "security", Map.of("access", "all"), "config", 1));
        assertThat(answer.paths()).containsExactlyInAnyOrder("id", "sandbox", "nmae", "security.access", "config");
        assertThat(answer.text()).contains("did you mean 'docker-ubuntu'").contains("did you mean 'name'");
    }

    @Test
    void of_sixteen_equal_requests_at_once_exactly_one_makes_the_agent() throws Exception {
        Callable<Answer> create = () -> post(Map.of("id", "main"));
        List<Answer> answers = new ArrayList<>();
        try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var future : clients.invokeAll(java.util.Collections.nCopies(16, create))) answers.add(future.get());
        }
        assertThat(answers.stream().filter(each -> each.status() == 201)).hasSize(1);
        assertThat(answers.stream().filter(each -> each.code().equals("conflict")))
                .hasSize(15);
        assertThat(gateway.client.get("/api/agents/main/sandboxes").items()).hasSize(1);
    }

    @Test
    void agents_are_listed_page_by_page() {
        for (int i = 0; i < 5; i++) post(Map.of("id", "agent-" + i));
        var ids = new ArrayList<Object>();
        @Nullable Object cursor = null;
        do {
            var page = gateway.client.get("/api/agents?limit=2" + (cursor == null ? "" : "&cursor=" + cursor));
            page.items().forEach(each -> ids.add(each.getOrDefault("id", "")));
            cursor = page.object().get("next_cursor");
        } while (cursor != null);
        assertThat(ids).containsExactly("agent-0", "agent-1", "agent-2", "agent-3", "agent-4");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"limit=0", "limit=1001", "limit=x", "cursor=%21%21", "cursor=QSBC", "sort=id", "limit=1&limit=2"
            })
    void a_list_refuses_parameters_that_it_does_not_understand(String query) {
        var answer = gateway.client.get("/api/agents?" + query);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.paths()).hasSize(1);
        assertThat(query).startsWith(answer.paths().getFirst());
    }

    @Test
    void a_config_is_replaced_only_where_nobody_was_faster() {
        post(Map.of("id", "main"));
        var first = gateway.client.get("/api/agents/main/config");
        assertThat(first.object()).isEmpty();
        assertThat(first.header("ETag")).matches("\"[0-9]+\"");
        String lifecycle =
                "{\"exec\":{\"lifecycle\":{\"start\":\"ondemand\",\"stop\":\"idle\",\"idle_timeout_minutes\":5}}}";
        var second = putConfig(first.header("ETag"), lifecycle);
        assertThat(second.status()).isEqualTo(200);
        assertThat(second.text()).isEqualTo(lifecycle);
        assertThat(second.header("ETag")).isNotEqualTo(first.header("ETag"));
        assertThat(putConfig(first.header("ETag"), "{}").code()).isEqualTo("conflict");
        assertThat(putConfig("*", "{}").status()).isEqualTo(200);
        assertThat(putConfig("W/\"1\"", "{}").paths()).containsExactly("If-Match");
        assertThat(gateway.client.put("/api/agents/main/config", Map.of()).status())
                .isEqualTo(200);
        assertThat(gateway.client
                        .put("/api/agents/main/config", Map.of("exce", 1))
                        .paths())
                .containsExactly("exce");
    }

    private Answer putConfig(String ifMatch, String body) {
        return gateway.client.send(gateway.client
                .request("/api/agents/main/config")
                .header("Content-Type", "application/json")
                .header("If-Match", ifMatch)
                .PUT(BodyPublishers.ofString(body)));
    }

    private Answer post(Map<String, ?> body) {
        return gateway.client.post("/api/agents", body);
    }
}
