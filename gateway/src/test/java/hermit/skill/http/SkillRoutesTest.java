package hermit.skill.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.TestGateway;
import hermit.db.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120) // only so that a broken test ends
@DisplayNameGeneration(ReplaceUnderscores.class)
@ParameterizedClass
@EnumSource(TestDatabase.class)
class SkillRoutesTest {
    private static final String SANDBOX = "/api/agents/main/sandboxes/default";
    private static final String LISTING = SANDBOX + "/files/list?path=/root/.hermit/skills";

    private final TestGateway gateway;

    SkillRoutesTest(TestDatabase database) {
        gateway = new TestGateway(database, Optional.of("docker-ubuntu"));
    }

    @BeforeEach
    void open() throws IOException {
        gateway.client.post("/api/agents", Map.of("id", "main"));
        Files.createDirectories(gateway.skillsFolder);
        write("pdf", "Reads PDF files.");
        write("git", "Works with git.");
        scan();
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    private void write(String name, String description) throws IOException {
        Path folder = Files.createDirectories(gateway.skillsFolder.resolve(name));
        Files.writeString(
                folder.resolve("SKILL.md"), "---\nname: %s\ndescription: %s\n---\n".formatted(name, description));
    }

    private Map<String, Object> scan() {
        var answer = gateway.client.send("POST", "/api/skills/scan", "");
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.object();
    }

    private int post(String path) {
        return gateway.client.send("POST", path, "").status();
    }

    private void start() {
        var answer = gateway.client.send("POST", SANDBOX + "/start", "");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text()).contains("\"notes\":[]");
    }

    private List<Object> inTheSandbox() {
        var answer = gateway.client.get(LISTING);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.items().stream().map(each -> each.get("name")).toList();
    }

    private void awaitInTheSandbox(Object... names) {
        while (true) {
            var answer = gateway.client.get(LISTING); // absent for a moment while it is replaced
            if (answer.status() == 200
                    && answer.items().stream()
                            .map(each -> each.get("name"))
                            .toList()
                            .equals(List.of(names))) return;
            Thread.onSpinWait();
        }
    }

    private Map<String, Object> held(String path, String name) {
        return gateway.client.get(path).items().stream()
                .filter(each -> name.equals(each.get("name")))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void a_scan_tells_what_is_new_changed_gone_and_refused() throws Exception {
        write("pdf", "Reads PDF files well.");
        write("new", "Is new.");
        Files.delete(gateway.skillsFolder.resolve("git/SKILL.md"));
        Files.createDirectory(gateway.skillsFolder.resolve("Not A Name"));

        var scanned = scan();
        assertThat(scanned)
                .containsEntry("added", List.of("new"))
                .containsEntry("changed", List.of("pdf"))
                .containsEntry("removed", List.of("git"));
        assertThat((List<?>) scanned.get("refused")).hasSize(2);
        assertThat(held("/api/skills", "pdf")).containsEntry("description", "Reads PDF files well.");
        assertThat(scan())
                .containsEntry("added", List.of())
                .containsEntry("changed", List.of())
                .containsEntry("removed", List.of());
    }

    @Test
    void who_has_a_skill_is_shown() {
        assertThat(post("/api/agents/main/skills/pdf/enable")).isEqualTo(204);
        assertThat(post("/api/agents/main/skills/pdf/enable")).isEqualTo(204);
        assertThat(post("/api/skills/git/enable")).isEqualTo(204);

        assertThat(held("/api/agents/main/skills", "pdf")).containsEntry("enabled", "agent");
        assertThat(held("/api/agents/main/skills", "git")).containsEntry("enabled", "all");
        assertThat(held("/api/skills", "pdf")).containsEntry("enabled", "none");

        assertThat(post("/api/agents/main/skills/git/disable")).isEqualTo(409);
        assertThat(post("/api/agents/main/skills/pdf/disable")).isEqualTo(204);
        assertThat(post("/api/agents/main/skills/pdf/disable")).isEqualTo(404);
        assertThat(post("/api/skills/nothing/enable")).isEqualTo(404);
        assertThat(post("/api/agents/nobody/skills/pdf/enable")).isEqualTo(404);
        assertThat(post("/api/skills/NO%20NAME/enable")).isEqualTo(404);
    }

    @Test
    void a_machine_that_runs_follows_at_once() {
        start();
        post("/api/agents/main/skills/pdf/enable");
        awaitInTheSandbox("pdf");
        post("/api/skills/git/enable");
        awaitInTheSandbox("git", "pdf");
        post("/api/agents/main/skills/pdf/disable");
        awaitInTheSandbox("git");
    }

    @Test
    void what_was_wished_while_the_machine_was_down_is_there_when_it_is_up_and_done_once() {
        start();
        post(SANDBOX + "/stop");
        post("/api/agents/main/skills/pdf/enable");
        post("/api/agents/main/skills/git/enable");
        post("/api/agents/main/skills/pdf/disable");
        start();
        assertThat(inTheSandbox()).containsExactly("git");

        int commands = gateway.docker.started.size();
        post(SANDBOX + "/stop");
        start();
        assertThat(gateway.docker.started).hasSize(commands);
    }

    @Test
    void a_new_machine_gets_the_skills_that_its_agent_has() {
        post("/api/skills/pdf/enable");
        start();
        assertThat(inTheSandbox()).containsExactly("pdf");
    }

    @Test
    void a_skill_that_changed_or_went_follows_with_the_scan() throws Exception {
        post("/api/skills/pdf/enable");
        post("/api/skills/git/enable");
        start();
        Files.writeString(gateway.skillsFolder.resolve("pdf/more.txt"), "x");
        Files.delete(gateway.skillsFolder.resolve("git/SKILL.md"));
        scan();
        awaitInTheSandbox("pdf");
        assertThat(gateway.client
                        .get(SANDBOX + "/files?path=/root/.hermit/skills/pdf/more.txt")
                        .text())
                .isEqualTo("x");
    }

    @Test
    void an_agent_without_skills_costs_no_command() {
        start();
        assertThat(gateway.docker.started).isEmpty();
    }
}
