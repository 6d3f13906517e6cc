package hermit.config;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Keeps docs/configuration.md true.
@DisplayNameGeneration(ReplaceUnderscores.class)
class ConfigurationPageTest {
    private static final Path PAGE = Path.of("..", "docs", "configuration.md");
    private static final Pattern JSON = Pattern.compile("```json\n(.*?)```", Pattern.DOTALL);

    @TempDir
    Path home;

    @Test
    void the_example_is_accepted_as_it_stands() throws Exception {
        Files.writeString(home.resolve("gateway.json"), example());

        var config = GatewayConfig.load(home, Map.of("MODELS_API_KEY", "x"));

        assertThat(config.warnings()).isEmpty();
        assertThat(config.server().allowedHosts()).containsExactly("hermit.example.org");
    }

    @Test
    void the_example_shows_the_defaults_where_the_page_says_so() throws Exception {
        var shown = Json.object(example());
        var inForce = GatewayConfig.check(home, Map.of()).effective();

        for (String block : List.of("exec", "turns", "retention", "sessions", "audit", "limits"))
            assertThat(Json.write(inForce.get(block))).as(block).isEqualTo(Json.write(shown.get(block)));
        for (String key : List.of("host", "port", "agent_creation"))
            assertThat(part(inForce.get("server"), key)).as(key).isEqualTo(part(shown.get("server"), key));
        for (String key : List.of("endpoint", "pull_policy", "network"))
            assertThat(part(inForce.get("docker"), key)).as(key).isEqualTo(part(shown.get("docker"), key));
    }

    private static String part(@Nullable Object block, String key) {
        return String.valueOf(block instanceof Map<?, ?> map ? map.get(key) : "no block");
    }

    private static String example() throws Exception {
        var matcher = JSON.matcher(Files.readString(PAGE));
        assertThat(matcher.find()).isTrue();
        return matcher.group(1);
    }
}
