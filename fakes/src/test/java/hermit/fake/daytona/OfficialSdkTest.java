package hermit.fake.daytona;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/// Daytona's own SDK for Node finds nothing amiss with the fake. `suite.mjs` says what it tries.
@DisplayNameGeneration(ReplaceUnderscores.class)
class OfficialSdkTest {
    private static final List<String> CHECKS = List.of(
            "create",
            "name taken",
            "unknown snapshot",
            "info",
            "not found",
            "list",
            "directories",
            "exec",
            "exit code, cwd and env",
            "exec timeout",
            "session",
            "background with stdin",
            "terminal",
            "terminal resized and killed",
            "files",
            "settings",
            "no pause",
            "stop",
            "start",
            "archive and start",
            "delete");

    @Test
    void the_official_sdk_is_served() throws Exception {
        Path suite = install();
        try (var fake = FakeDaytona.start(Settings.of("hermit-base:bookworm"))) {
            String said = run(
                    suite,
                    Map.of(
                            "DAYTONA_API_KEY",
                            Settings.API_KEY,
                            "DAYTONA_API_URL",
                            fake.address().toString(),
                            "DAYTONA_TARGET",
                            "us",
                            // The fake sends no events: the SDK asks instead.
                            "DAYTONA_USE_DEPRECATED_POLLING",
                            "true"),
                    "node",
                    "suite.mjs");
            assertThat(said.lines())
                    .containsExactlyElementsOf(
                            CHECKS.stream().map(each -> "ok " + each).toList());
            assertThat(fake.sandboxes()).isEmpty();
        }
    }

    /// A copy, so that what is installed stays out of the sources; what is there already is used again.
    private static Path install() throws Exception {
        Path from = Path.of("src/test/js/daytona");
        Path to = Files.createDirectories(Path.of("target/js/daytona"));
        Path lock = to.resolve("package-lock.json");
        boolean same = Files.exists(lock)
                && Files.mismatch(lock, from.resolve("package-lock.json")) < 0
                && Files.isDirectory(to.resolve("node_modules"));
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList())
                Files.write(to.resolve(file.getFileName()), Files.readAllBytes(file));
        }
        if (!same) run(to, Map.of(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund");
        return to;
    }

    private static String run(Path directory, Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        var builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        var process = builder.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }
}
