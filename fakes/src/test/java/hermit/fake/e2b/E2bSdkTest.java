package hermit.fake.e2b;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The provider's own SDK takes the fake for the provider. Needs node and npm.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class E2bSdkTest {
    private static final Path SOURCE = Path.of("src/test/js/e2b");
    private static final Path WORK = Path.of("target/js/e2b");

    @Test
    void the_official_sdk_works_against_the_fake() throws Exception {
        Files.createDirectories(WORK);
        for (String name : List.of("package.json", "package-lock.json", "check.mjs"))
            Files.copy(SOURCE.resolve(name), WORK.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        run(Map.of(), "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts");
        try (var fake = E2bFake.start(E2bFake.Settings.of("hermit-base:bookworm"))) {
            var said = run(
                    Map.of("FAKE_URL", fake.address().toString(), "FAKE_KEY", E2bFake.Settings.API_KEY),
                    "node",
                    "check.mjs");
            assertThat(said.lines())
                    .containsExactly(
                            "ok create",
                            "ok running",
                            "ok info",
                            "ok list",
                            "ok exec",
                            "ok exit code",
                            "ok user",
                            "ok stdin",
                            "ok timeout",
                            "ok background",
                            "ok attach",
                            "ok files",
                            "ok file system",
                            "ok set timeout",
                            "ok pause",
                            "ok resume",
                            "ok kill",
                            "ok wrong key");
        }
    }

    /// What it printed; fails if it cannot be started.
    private static String run(Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        var builder = new ProcessBuilder(command).directory(WORK.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        var process = builder.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0 && !command[0].equals("node"))
            throw new AssertionError("%s: %s".formatted(String.join(" ", command), said));
        return said;
    }
}
