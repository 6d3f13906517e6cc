package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// `hermit config …` against a program that refuses every configuration with the word `wrong` in it.
class ConfigTest extends CliTest {
    @BeforeEach
    void program() throws IOException {
        launcher("""
                if grep -q wrong "$HERMIT_HOME/gateway.json" 2>/dev/null; then
                    echo "$HERMIT_HOME/gateway.json: server.port: wrong" >&2
                    exit 78
                fi
                if grep -q secret-is-asked-for "$HERMIT_HOME/gateway.json" 2>/dev/null && ! grep -q TOKEN "$HERMIT_HOME/.env"; then
                    echo 'server.host: needs HERMIT_ADMIN_TOKEN' >&2
                    exit 78
                fi
                [ "$3" != --json ] || echo '{"server":{"host":"127.0.0.1","port":4000},"autoProvisionSandbox":null}'
                """);
    }

    private String file() throws IOException {
        return Files.readString(home.resolve("gateway.json"));
    }

    @Test
    void show_and_get_tell_what_is_in_force() {
        assertThat(hermit("config", "show").json().path("server").path("port").asInt())
                .isEqualTo(4000);
        assertThat(hermit("config", "get", "server.port").out()).isEqualTo("4000\n");
        assertThat(hermit("config", "get", "autoProvisionSandbox").out()).isEqualTo("null\n");
        assertThat(hermit("config", "get", "server.nothing").code()).isEqualTo(1);
    }

    @Test
    void set_changes_one_value_and_keeps_the_rest() throws Exception {
        assertThat(hermit("config", "set", "server.port", "4001").code()).isZero();
        assertThat(hermit("config", "set", "autoProvisionSandbox", "dev").code())
                .isZero();
        assertThat(hermit("config", "set", "sandboxPresets.dev", "{\"type\":\"docker\"}")
                        .code())
                .isZero();
        assertThat(hermit("config", "set", "server.host", "127.0.0.2").code()).isZero();
        assertThat(new HermitHome(home).document().toString())
                .isEqualTo(
                        "{\"server\":{\"port\":4001,\"host\":\"127.0.0.2\"},\"autoProvisionSandbox\":\"dev\",\"sandboxPresets\":{\"dev\":{\"type\":\"docker\"}}}");
    }

    @Test
    void a_mistake_changes_nothing_and_is_told_with_the_real_path() throws Exception {
        hermit("config", "set", "server.port", "4001");
        Files.setPosixFilePermissions(home.resolve("gateway.json"), PosixFilePermissions.fromString("rw-r-----"));
        var before = file();
        var ended = hermit("config", "set", "server.port", "wrong", "--json");
        assertThat(ended.code()).isEqualTo(78);
        assertThat(ended.json().path("detail").asText())
                .isEqualTo(home.resolve("gateway.json") + ": server.port: wrong");
        assertThat(file()).isEqualTo(before);
        try (var left = Files.list(home)) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder("gateway.json", "launcher");
        }
        hermit("config", "set", "server.port", "4002");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("gateway.json"))))
                .isEqualTo("rw-r-----");
    }

    @Test
    void secrets_count_when_a_change_is_tried() throws Exception {
        assertThat(hermit("config", "set", "server.host", "secret-is-asked-for").code())
                .isEqualTo(78);
        Files.writeString(home.resolve(".env"), "HERMIT_ADMIN_TOKEN=x");
        assertThat(hermit("config", "set", "server.host", "secret-is-asked-for").code())
                .isZero();
    }

    @Test
    void a_value_is_no_block() throws Exception {
        hermit("config", "set", "server.port", "4001");
        assertThat(hermit("config", "set", "server.port.x", "1").code()).isEqualTo(2);
    }

    @Test
    void a_broken_configuration_is_shown_as_what_it_is() throws Exception {
        Files.writeString(home.resolve("gateway.json"), "{\"wrong\":1}");
        var ended = hermit("config", "show");
        assertThat(ended.code()).isEqualTo(78);
        assertThat(ended.err()).contains("server.port: wrong");
    }
}
