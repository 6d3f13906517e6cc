package hermit;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
class MainTest {
    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void every_mistake_is_printed_and_nothing_is_started() throws Exception {
        write("{\"server\": {\"port\": -1, \"hots\": \"x\"}}");

        for (List<String> arguments : List.of(List.<String>of(), List.of("run"), List.of("check-config", "--json")))
            assertThat(run(arguments)).isEqualTo(78);

        assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("server.port: must be between", "server.hots: unknown field (did you mean 'host'?)");
        assertThat(directory.resolve("hermit.db")).doesNotExist();
    }

    @Test
    void a_good_configuration_is_shown_without_secrets_and_without_changing_anything() throws Exception {
        write("{\"server\": {\"port\": 4001}}");

        assertThat(run(List.of("check-config", "--json"))).isZero();

        var shown = Json.object(out.toString(StandardCharsets.UTF_8));
        assertThat(shown)
                .extractingByKey("server")
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("port", 4001L);
        assertThat(directory.resolve("admin-token")).doesNotExist();
    }

    @Test
    void warnings_go_beside_the_answer() throws Exception {
        write("{}");

        assertThat(run(List.of("check-config"), "HERMIT_ADMIN_TOKN", "x")).isZero();

        assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("HERMIT_ADMIN_TOKEN");
    }

    @Test
    void other_arguments_are_answered_with_the_usage() throws Exception {
        assertThat(run(List.of("serve"))).isEqualTo(64);
        assertThat(run(List.of("run", "--fast"))).isEqualTo(64);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("Usage");
    }

    private int run(List<String> arguments, String... variable) throws InterruptedException {
        var environment = new HashMap<>(Map.of("HERMIT_HOME", directory.toString()));
        if (variable.length == 2) environment.put(variable[0], variable[1]);
        return new Main(environment, print(out), print(err)).run(arguments);
    }

    private static PrintStream print(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    private void write(String config) throws Exception {
        Files.writeString(directory.resolve("gateway.json"), config);
    }
}
