package hermit.mcp.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.People;
import hermit.TestGateway;
import hermit.http.TestClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The protocol's own client and its inspector take the gateway for a server of theirs. Needs node and npm.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class OfficialClientTest {
    private static final Path SOURCE = Path.of("src/test/js/mcp");
    private static final Path WORK = Path.of("target/js/mcp");

    private final TestGateway gateway = new TestGateway();
    private final Map<String, String> environment = new HashMap<>();

    @BeforeAll
    static void install() throws Exception {
        Files.createDirectories(WORK);
        for (String name : List.of("package.json", "package-lock.json", "check.mjs"))
            Files.copy(SOURCE.resolve(name), WORK.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        var process = start(Map.of(), "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts");
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        // The inspector's command line wants to stand beside its pages, of which it takes nothing but the version.
        Files.writeString(
                WORK.resolve("node_modules/@modelcontextprotocol/package.json"),
                "{\"name\": \"inspector\", \"version\": \"1.0.3\"}");
    }

    @BeforeEach
    void two_agents_and_their_people() {
        var people = new People(gateway);
        people.agent("main", "private");
        people.agent("careful", "private");
        gateway.client.put(
                "/api/agents/careful/security",
                Map.of("access", "private", "autonomy_level", "supervised", "require_approval_for", List.of("exec")));
        var user = people.member("main", "user");
        people.join("careful", user, "user");
        environment.put("GATEWAY", "http://127.0.0.1:" + gateway.port());
        environment.put("ADMIN", TestClient.TOKEN);
        environment.put("USER", user.token());
        environment.put("GUEST", people.member("main", "guest").token());
        environment.put("STRANGER", people.person("stranger").token());
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void the_official_client_works_against_the_gateway() throws Exception {
        var said = new ArrayList<String>();
        var process = start(environment, "node", "check.mjs");
        try (var lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine())
                if (line.equals("do recheck")) gateway.recheckStreams();
                else said.add(line);
        }
        assertThat(said)
                .containsExactly(
                        "ok initialize",
                        "ok tools",
                        "ok exec",
                        "ok wrong arguments",
                        "ok faults",
                        "ok live output, and cancelling",
                        "ok files",
                        "ok resources",
                        "ok approved by another client",
                        "ok denied",
                        "ok a request that is taken back",
                        "ok a guest",
                        "ok whoever may not",
                        "ok other tools",
                        "ok the end");
    }

    @Test
    void the_inspector_lists_and_calls_tools() throws Exception {
        assertThat(inspector("--method", "tools/list"))
                .contains("\"name\": \"exec\"", "\"destructiveHint\": true", "There are: default (docker");
        assertThat(inspector("--method", "tools/call", "--tool-name", "exec", "--tool-arg", "command=echo inspected"))
                .contains("\"stdout\": \"inspected\\n\"");
        assertThat(inspector("--method", "resources/templates/list")).contains("sandbox://{alias}/{+path}");
    }

    private String inspector(String... what) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(
                "node_modules/.bin/mcp-inspector-cli",
                "--cli",
                environment.get("GATEWAY") + "/api/agents/main/mcp",
                "--transport",
                "http",
                "--header",
                "Authorization: Bearer " + environment.get("USER")));
        command.addAll(List.of(what));
        var process = start(Map.of(), command.toArray(String[]::new));
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    private static Process start(Map<String, String> environment, String... command) throws IOException {
        var builder = new ProcessBuilder(command).directory(WORK.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        var process = builder.start();
        process.getOutputStream().close();
        return process;
    }
}
