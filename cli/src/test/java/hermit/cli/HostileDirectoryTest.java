package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The real program, started in somebody else's repository.
class HostileDirectoryTest extends CliTest {
    @TempDir
    private Path repository;

    @Test
    void nothing_in_the_current_directory_redirects_the_command_line() throws Exception {
        gateway.on("GET /api/agents?limit=1000", 200, "{\"items\":[],\"next_cursor\":null}");
        Files.writeString(home.resolve("gateway.json"), "{\"server\":{\"port\":%d}}".formatted(gateway.port()));
        tokenFile("mine", "rw-------");
        var evil = "http://127.0.0.1:9";
        Files.writeString(repository.resolve(".env"), "HERMIT_URL=%s\nHERMIT_TOKEN=theirs\n".formatted(evil));
        Files.writeString(repository.resolve("gateway.json"), "{\"server\":{\"port\":9}}");
        Files.writeString(
                Files.createDirectory(repository.resolve(".hermit")).resolve("gateway.json"),
                "{\"server\":{\"port\":9}}");
        var builder = new ProcessBuilder(List.of(
                        System.getProperty("java.home") + "/bin/java",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "hermit.cli.Main",
                        "agents",
                        "list",
                        "--json"))
                .directory(repository.toFile())
                .redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().putAll(Map.of("HERMIT_HOME", home.toString(), "HOME", repository.toString()));
        Process process = builder.start();
        var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(out).isZero();
        assertThat(gateway.last().headers()).containsEntry("Authorization", "Bearer mine");
    }
}
