package hermit.fake.tenki;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/// Tenki's own SDK takes the fake for Tenki. Needs node and npm.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 600, unit = TimeUnit.SECONDS)
class TenkiSdkTest {
    private static final Path SOURCE = Path.of("src/test/js/tenki");
    private static final Path WORK = Path.of("target/js/tenki");
    private static final Pattern CHECK = Pattern.compile("^  async \"([^\"]+)\"", Pattern.MULTILINE);

    @TestFactory
    Stream<DynamicTest> the_official_sdk_works_against_the_fake() throws Exception {
        Files.createDirectories(WORK);
        for (String name : List.of("package.json", "package-lock.json", "check.mjs"))
            Files.copy(SOURCE.resolve(name), WORK.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        run(Map.of(), "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts");
        List<String> said;
        try (var fake = TenkiFake.start(TenkiFakeSettings.of("tk_placeholder", "hermit-base:bookworm"))) {
            said = run(
                    Map.of(
                            "TENKI_API_ENDPOINT", fake.address().toString(),
                            "TENKI_AUTH_TOKEN", "tk_placeholder",
                            "CONTROLS", fake.controls().toString()),
                    "node",
                    "check.mjs");
        }
        var checks = CHECK.matcher(Files.readString(SOURCE.resolve("check.mjs")))
                .results()
                .map(each -> each.group(1))
                .toList();
        assertThat(checks).hasSizeGreaterThan(30);
        return checks.stream()
                .map(check ->
                        DynamicTest.dynamicTest(check, () -> assertThat(said).contains("ok " + check)));
    }

    /// The lines that it printed.
    private static List<String> run(Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        var builder = new ProcessBuilder(command).directory(WORK.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        var process = builder.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s: %s", command[0], said).isZero();
        return said.lines().toList();
    }
}
