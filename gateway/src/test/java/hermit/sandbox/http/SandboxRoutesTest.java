package hermit.sandbox.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.TestGateway;
import hermit.http.TestClient.Answer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class SandboxRoutesTest {
    private static final String SANDBOXES = "/api/agents/main/sandboxes";
    private static final String DEFAULT = SANDBOXES + "/default";

    private final TestGateway gateway = new TestGateway();

    @BeforeEach
    void an_agent_without_a_sandbox() {
        gateway.client.send("POST", "/api/agents", "{\"id\":\"main\",\"sandbox\":null}");
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void a_row_shows_what_it_is_and_nothing_private() {
        var created = add(Map.of("type", "docker", "config", Map.of("image", "ubuntu:24.04")));
        assertThat(created.status()).isEqualTo(201);
        assertThat(created.header("Location")).isEqualTo(DEFAULT);
        assertThat(created.object().keySet())
                .containsExactly(
                        "id",
                        "agent_id",
                        "alias",
                        "type",
                        "config",
                        "status",
                        "external_id",
                        "last_seen_at",
                        "generation",
                        "created_at",
                        "lifecycle",
                        "capabilities",
                        "runtime");
        assertThat(created.object())
                .containsEntry("agent_id", "main")
                .containsEntry("alias", "default")
                .containsEntry("type", "docker")
                .containsEntry("config", Map.of("image", "ubuntu:24.04"))
                .containsEntry("status", "pending")
                .containsEntry("external_id", null)
                .containsEntry("runtime", null);
    }

    @Test
    void the_lifecycle_in_force_is_shown_with_the_origin_of_each_field() {
        gateway.client.put(
                "/api/agents/main/config", Map.of("exec", Map.of("lifecycle", Map.of("idle_timeout_minutes", 9))));
        add(Map.of("type", "docker", "config", Map.of("lifecycle", Map.of("stop", "session"))));
        assertThat(gateway.client.get(DEFAULT).object())
                .containsEntry(
                        "lifecycle",
                        Map.of(
                                "start",
                                "ondemand",
                                "stop",
                                "session",
                                "idle_timeout_minutes",
                                9,
                                "origin",
                                Map.of(
                                        "start", "default",
                                        "stop", "sandbox",
                                        "idle_timeout_minutes", "agent")));
    }

    @Test
    void a_preset_is_copied_under_the_alias_asked_for() {
        assertThat(add(Map.of("preset", "docker-ubuntu", "alias", "second")).object())
                .containsEntry("alias", "second")
                .containsEntry("config", Map.of("image", "debian:13"));
        assertThat(add(Map.of("preset", "docker-ubunt")).paths()).containsExactly("preset");
        assertThat(add(Map.of("preset", "docker-ubuntu", "type", "docker", "config", Map.of()))
                        .paths())
                .containsExactlyInAnyOrder("type", "config");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}|type",
                "{\"type\":\"dockr\"}|type",
                "{\"type\":null}|type",
                "{\"type\":5}|type",
                "{\"type\":\"docker\",\"alias\":\"a;rm\"}|alias",
                "{\"type\":\"docker\",\"alias\":\"\"}|alias",
                "{\"type\":\"docker\",\"alias\":\"../x\"}|alias",
                "{\"type\":\"docker\",\"config\":[]}|config",
                "{\"type\":\"docker\",\"config\":null}|config",
                "{\"type\":\"docker\",\"config\":{\"memory_limit\":\"lots\"}}|config.memory_limit",
                "{\"type\":\"docker\",\"config\":{\"memory_limit\":\"0\"}}|config.memory_limit",
                "{\"type\":\"docker\",\"config\":{\"memory_limit\":\"-1\"}}|config.memory_limit",
                "{\"type\":\"docker\",\"config\":{\"memory_limit\":\"4k\"}}|config.memory_limit",
                "{\"type\":\"docker\",\"config\":{\"cpu_shares\":\"x\"}}|config.cpu_shares",
                "{\"type\":\"docker\",\"config\":{\"cpus\":1e999999999}}|config.cpus",
                "{\"type\":\"docker\",\"config\":{\"imgae\":\"ubuntu\"}}|config.imgae",
                "{\"type\":\"docker\",\"config\":{\"memory_limt\":\"1g\"}}|config.memory_limt",
                "{\"type\":\"docker\",\"config\":{\"template\":\"base\"}}|config.template",
                "{\"type\":\"docker\",\"config\":{\"image\":\"--privileged\"}}|config.image",
                "{\"type\":\"docker\",\"config\":{\"image\":\"ubuntu\\n--privileged\"}}|config.image",
                "{\"type\":\"docker\",\"config\":{\"username\":\"root --privileged\"}}|config.username",
                "{\"type\":\"docker\",\"config\":{\"binds\":[\"/:/host\"]}}|config.binds",
                "{\"type\":\"docker\",\"config\":{\"network\":\"host\"}}|config.network",
                "{\"type\":\"docker\",\"config\":{\"agent_home\":\"/proc/self/fd/7\"}}|config.agent_home",
                "{\"type\":\"docker\",\"config\":{\"lifecycle\":{\"stop\":\"never\"}}}|config.lifecycle.stop",
                "{\"type\":\"docker\",\"colour\":\"red\"}|colour"
            })
    void what_is_wrong_is_named_and_no_row_is_made(String body, String path) {
        var answer = gateway.client.send("POST", SANDBOXES, body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.paths()).containsExactly(path);
        assertThat(gateway.client.get(SANDBOXES).items()).isEmpty();
    }

    @Test
    void the_host_backend_is_refused_with_the_reason() {
        assertThat(add(Map.of("type", "host")).text())
                .contains("was removed")
                .contains("isolation")
                .contains("docker, e2b, daytona, tenki");
    }

    @Test
    void rows_of_a_backend_that_is_not_there_can_be_kept_and_say_that_they_cannot_be_used() {
        for (String type : List.of("daytona", "tenki")) {
            assertThat(add(Map.of("type", type, "alias", type)).status()).isEqualTo(201);
            var start = gateway.client.send("POST", SANDBOXES + "/" + type + "/start", "");
            assertThat(start.status()).isEqualTo(501);
            assertThat(start.code()).isEqualTo("not_available");
            assertThat(gateway.client.get(SANDBOXES + "/" + type).object()).containsEntry("runtime", null);
        }
    }

    @Test
    void start_brings_the_machine_up_and_stop_shuts_it_down() {
        add(Map.of("type", "docker"));
        var started = gateway.client.send("POST", DEFAULT + "/start", "");
        assertThat(started.status()).isEqualTo(200);
        assertThat(sandbox(started))
                .containsEntry("status", "provisioned")
                .containsEntry("external_id", "fake-default")
                .containsEntry("generation", 1);
        assertThat(started.text()).contains("\"state\":\"running\"").contains("\"notes\":[]");
        var stopped = gateway.client.send("POST", DEFAULT + "/stop", "");
        assertThat(stopped.text()).contains("\"state\":\"stopped\"");
    }

    @Test
    void a_busy_sandbox_is_stopped_by_force_only() {
        add(Map.of("type", "docker"));
        gateway.client.post(DEFAULT + "/execs", Map.of("command", "hang", "background", true));
        var refused = gateway.client.send("POST", DEFAULT + "/stop", "");
        assertThat(refused.code()).isEqualTo("busy");
        assertThat(refused.header("Retry-After")).isNotEmpty();
        assertThat(gateway.client.send("POST", DEFAULT + "/stop?force=yes", "").paths())
                .containsExactly("force");
        assertThat(gateway.client.send("POST", DEFAULT + "/stop?force=true", "").status())
                .isEqualTo(200);
    }

    @Test
    void a_config_is_replaced_as_a_whole() {
        add(Map.of("type", "docker", "config", Map.of("image", "a", "memory_limit", "1g")));
        var changed = gateway.client.patch(DEFAULT, Map.of("config", Map.of("image", "b")));
        assertThat(changed.object()).containsEntry("config", Map.of("image", "b"));
        assertThat(gateway.client
                        .patch(DEFAULT, Map.of("config", Map.of("imgae", "b")))
                        .paths())
                .containsExactly("config.imgae");
        assertThat(gateway.client.patch(DEFAULT, Map.of()).paths()).containsExactly("config");
        assertThat(gateway.client
                        .patch(DEFAULT, Map.of("config", Map.of(), "type", "e2b"))
                        .paths())
                .containsExactly("type");
        assertThat(gateway.client.get(DEFAULT).object()).containsEntry("config", Map.of("image", "b"));
    }

    @Test
    void a_deleted_sandbox_is_gone_at_once_and_its_alias_free_again() {
        for (int i = 0; i < 3; i++) {
            assertThat(add(Map.of("type", "docker")).status()).isEqualTo(201);
            assertThat(exec("true").status()).isEqualTo(200);
            assertThat(gateway.client.delete(DEFAULT).status()).isEqualTo(204);
            assertThat(exec("true").code()).isEqualTo("no_sandbox");
            assertThat(gateway.client.delete(DEFAULT).status()).isEqualTo(404);
        }
        assertThat(gateway.client
                        .get("/api/sandboxes?status=deleted&agent=main")
                        .items())
                .hasSize(3);
        assertThat(gateway.client.get(SANDBOXES).items()).isEmpty();
    }

    @Test
    void a_sandbox_that_was_just_added_runs_commands_at_once() {
        assertThat(exec("true").code()).isEqualTo("no_sandbox");
        add(Map.of("type", "docker", "alias", "other"));
        assertThat(exec("true").code()).isEqualTo("not_found");
        add(Map.of("type", "docker"));
        assertThat(exec("true").status()).isEqualTo(200);
    }

    @Test
    void of_sixteen_equal_requests_at_once_exactly_one_adds_the_row() throws Exception {
        Callable<Answer> create = () -> add(Map.of("type", "docker"));
        List<Answer> answers = new ArrayList<>();
        try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var future : clients.invokeAll(Collections.nCopies(16, create))) answers.add(future.get());
        }
        assertThat(answers.stream().filter(each -> each.status() == 201)).hasSize(1);
        assertThat(answers.stream().filter(each -> each.code().equals("conflict")))
                .hasSize(15);
        assertThat(gateway.client.get(SANDBOXES).items()).hasSize(1);
    }

    @Test
    void all_sandboxes_are_listed_with_filters_and_pages() {
        gateway.client.post("/api/agents", Map.of("id", "other"));
        add(Map.of("type", "docker"));
        add(Map.of("type", "e2b", "alias", "cloud"));
        gateway.client.send("POST", DEFAULT + "/start", "");
        var all = aliases("/api/sandboxes");
        assertThat(all).containsExactlyInAnyOrder("default", "default", "cloud");
        assertThat(aliases("/api/sandboxes?type=e2b")).containsExactly("cloud");
        assertThat(aliases("/api/sandboxes?status=provisioned")).containsExactly("default");
        assertThat(aliases("/api/sandboxes?agent=other")).containsExactly("default");
        var first = gateway.client.get("/api/sandboxes?limit=2");
        assertThat(first.items()).extracting(row -> row.get("alias")).isEqualTo(all.subList(0, 2));
        assertThat(aliases("/api/sandboxes?limit=2&cursor=" + first.object().get("next_cursor")))
                .isEqualTo(all.subList(2, 3));
        var ofAgent = gateway.client.get(SANDBOXES + "?limit=1");
        assertThat(ofAgent.items()).hasSize(1);
        assertThat(aliases(SANDBOXES + "?cursor=" + ofAgent.object().get("next_cursor")))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"type=host", "status=running", "agent=A", "agent=", "cursor=YWJj", "alias=x"})
    void a_filter_that_means_nothing_is_refused(String query) {
        var answer = gateway.client.get("/api/sandboxes?" + query);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(query).startsWith(answer.paths().getFirst());
    }

    @Test
    void while_docker_is_down_rows_are_shown_with_an_unknown_state_and_nothing_changes() {
        add(Map.of("type", "docker"));
        gateway.client.send("POST", DEFAULT + "/start", "");
        gateway.docker.down = true;
        assertThat(gateway.client.get("/api/sandboxes").text()).contains("\"state\":\"unknown\"");
        var start = gateway.client.send("POST", DEFAULT + "/stop", "");
        assertThat(start.status()).isEqualTo(503);
        assertThat(start.code()).isEqualTo("backend_unavailable");
        assertThat(start.header("Retry-After")).isNotEmpty();
        gateway.docker.down = false;
        assertThat(gateway.client.get(DEFAULT).object()).containsEntry("status", "provisioned");
    }

    @Test
    void presets_are_shown_as_they_were_written() {
        assertThat(gateway.client.get("/api/sandbox-presets").text()).isEqualTo("""
                        {"presets":{"docker-ubuntu":{"type":"docker","config":{"image":"debian:13"}},\
                        "e2b-default":{"type":"e2b","config":{"template":"base"}}},"auto_provision_sandbox":"docker-ubuntu"}""");
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> sandbox(Answer answer) {
        return (Map<String, Object>) answer.object().getOrDefault("sandbox", Map.of());
    }

    private List<Object> aliases(String path) {
        return gateway.client.get(path).items().stream()
                .map(each -> each.getOrDefault("alias", ""))
                .toList();
    }

    private Answer exec(String command) {
        return gateway.client.post(DEFAULT + "/execs", Map.of("command", command));
    }

    private Answer add(Map<String, ?> body) {
        return gateway.client.post(SANDBOXES, body);
    }
}
