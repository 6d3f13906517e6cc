package hermit.backend.docker;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.http.TestClient;
import hermit.http.TestClient.Answer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The gateway as the process that it is, killed by the signal that nobody can catch while an approved
/// command runs, and started again. The command leaves a line in a file each time that it begins.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(300)
class KilledGatewayTest {
    private static final Pattern LISTENING = Pattern.compile(".*listening on 127\\.0\\.0\\.1:(\\d+).*");
    private static final String SANDBOX = "/api/agents/main/sandboxes/default";
    /// Runs until there is a file `go`.
    private static final String COMMAND = "echo begun >> ran; until [ -e go ]; do sleep 0.1; done; echo over; exit 7";

    private final TestDocker docker = new TestDocker();
    private final Path home = docker.scratch.resolve("home");
    private Optional<Running> running = Optional.empty();
    private String approval = "";

    @BeforeEach
    void an_approved_command_that_runs() throws Exception {
        Files.createDirectory(home, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        write("instance-id", docker.instance.toString());
        write("gateway.json", """
                {
                  "server": {"port": 0},
                  "docker": {"pull_policy": "never", "network": "none"},
                  "sandboxPresets": {"dev": {"type": "docker", "config": {"image": "%s", "memory_limit": "256m"}}},
                  "autoProvisionSandbox": "dev"
                }
                """.formatted(TestDocker.image()));
        var gateway = start();
        assertThat(gateway.post("/api/agents", Map.of("id", "main")).status()).isEqualTo(201);
        String session = gateway.post("/api/agents/main/sessions", Map.of()).header("Location");
        Answer asked = gateway.post(session + "/tools/exec", Map.of("command", COMMAND));
        assertThat(asked.status()).as(asked.text()).isEqualTo(202);
        approval = asked.header("Location");
        gateway.post(approval + "/decision", Map.of("decision", "approve"));
        while (!file(gateway, "ran").equals("begun\n")) Thread.onSpinWait();
        assertThat(gateway.get(approval).object()).containsEntry("state", "executing");
    }

    @AfterEach
    void close() throws Exception {
        running.ifPresent(Running::kill);
        docker.close();
    }

    @Test
    void a_command_that_ran_on_ends_as_it_really_did_and_has_run_once() throws Exception {
        kill();
        var gateway = start();
        gateway.send(gateway.request(SANDBOX + "/files?path=go").PUT(BodyPublishers.noBody()));
        Answer ended = awaitEnd(gateway);
        assertThat(ended.object()).containsEntry("state", "done");
        assertThat(ended.text()).contains("\"exit_code\":7", "\"stdout\":\"over\\n\"");
        assertThat(file(gateway, "ran")).isEqualTo("begun\n");
        stays(gateway, "done");
    }

    @Test
    void one_whose_machine_went_away_meanwhile_is_unknown_and_is_not_run_again() throws Exception {
        kill();
        docker.removeContainers();
        var gateway = start();
        assertThat(awaitEnd(gateway).object()).containsEntry("state", "unknown");
        // A new machine has the same files: had it been run again, there would be another line.
        assertThat(file(gateway, "ran")).isEqualTo("begun\n");
        stays(gateway, "unknown");
    }

    /// Over a further start, too.
    private void stays(TestClient gateway, String state) throws Exception {
        assertThat(gateway.post(approval + "/decision", Map.of("decision", "approve"))
                        .code())
                .isEqualTo("already_decided");
        kill();
        var again = start();
        assertThat(again.get(approval).object()).containsEntry("state", state);
        assertThat(file(again, "ran")).isEqualTo("begun\n");
        assertThat(again.get(SANDBOX + "/execs").items()).hasSize(1);
    }

    private static Answer awaitEnd(TestClient gateway, String approval) {
        while (true) {
            Answer now = gateway.get(approval);
            assertThat(now.status()).as(now.text()).isEqualTo(200);
            if (!List.of("approved", "executing")
                    .contains(String.valueOf(now.object().get("state")))) return now;
        }
    }

    private Answer awaitEnd(TestClient gateway) {
        return awaitEnd(gateway, approval);
    }

    private static String file(TestClient gateway, String name) {
        Answer content = gateway.get(SANDBOX + "/files?path=" + name);
        return content.status() == 200 ? content.text() : "";
    }

    private void write(String name, String text) throws IOException {
        Path file = home.resolve(name);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, text);
    }

    /// With SIGKILL.
    private void kill() {
        running.orElseThrow().kill();
        running = Optional.empty();
    }

    private TestClient start() throws IOException {
        var command = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "hermit.Main")
                .redirectErrorStream(true);
        command.environment().put("HERMIT_HOME", home.toString());
        command.environment().put("HERMIT_ADMIN_TOKEN", TestClient.TOKEN);
        command.environment().put("DOCKER_HOST", TestDocker.ENDPOINT.toString());
        command.environment().remove("DATABASE_URL");
        var started = new Running(command.start());
        running = Optional.of(started);
        return new TestClient(started.port());
    }

    private record Running(Process process, BufferedReader said) {
        Running(Process process) {
            this(process, new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
        }

        /// Where it listens, once it does.
        int port() throws IOException {
            var all = new StringBuilder();
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                all.append(line).append('\n');
                var listening = LISTENING.matcher(line);
                if (!listening.matches()) continue;
                // What nobody reads would stop it one day.
                Thread.ofVirtual().start(() -> said.lines().forEach(_ -> {}));
                return Integer.parseInt(listening.group(1));
            }
            throw new AssertionError("the gateway did not start:\n" + all);
        }

        void kill() {
            process.destroyForcibly();
            process.onExit().join();
        }
    }
}
