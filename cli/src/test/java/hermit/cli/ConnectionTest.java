package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectionTest extends CliTest {
    @BeforeEach
    void emptyList() {
        gateway.on("GET /api/agents?limit=1000", 200, "{\"items\":[],\"next_cursor\":null}");
        env.remove("HERMIT_TOKEN");
    }

    @Test
    void the_token_of_the_environment_comes_first() throws Exception {
        tokenFile("from-file", "rw-------");
        env.put("HERMIT_TOKEN", "from-env");
        hermit("agents", "list");
        assertThat(gateway.last().headers()).containsEntry("Authorization", "Bearer from-env");
    }

    @Test
    void otherwise_it_is_the_admin_token_of_this_machines_gateway() throws Exception {
        tokenFile("from-file", "rw-------");
        hermit("agents", "list");
        assertThat(gateway.last().headers()).containsEntry("Authorization", "Bearer from-file");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "rw----r--", "rw--w----", "rw-rw-rw-"})
    void a_token_file_that_others_can_read_or_change_is_refused(String permissions) throws Exception {
        tokenFile("from-file", permissions);
        var ended = hermit("agents", "list", "--json");
        assertThat(ended.code()).isEqualTo(5);
        assertThat(ended.json().path("code").asText()).isEqualTo("token_exposed");
        assertThat(ended.err()).contains("admin-token").doesNotContain("from-file");
        assertThat(gateway.asked()).isEmpty();
    }

    @Test
    void an_admin_token_that_the_operator_has_set_comes_before_the_file() throws Exception {
        tokenFile("from-file", "rw-------");
        env.put("HERMIT_ADMIN_TOKEN", "set-by-operator");
        hermit("agents", "list");
        assertThat(gateway.last().headers()).containsEntry("Authorization", "Bearer set-by-operator");
    }

    @Test
    void the_token_that_login_has_kept_comes_before_the_admins_and_after_the_environments() throws Exception {
        tokenFile("from-file", "rw-------");
        new HermitHome(home).login(URI.create(gateway.url())).write("kept");
        hermit("agents", "list");
        assertThat(gateway.last().headers()).containsEntry("Authorization", "Bearer kept");
        env.put("HERMIT_TOKEN", "from-env");
        hermit("agents", "list");
        assertThat(gateway.last().headers()).containsEntry("Authorization", "Bearer from-env");
    }

    @Test
    void a_kept_token_goes_to_the_address_that_it_was_kept_for_and_to_no_other() throws Exception {
        new HermitHome(home)
                .login(URI.create("https://Gateway.example.net/hermit/"))
                .write("kept");
        assertThat(token("https://gateway.example.net:443/hermit")).contains("kept");
        for (String other : List.of(
                "http://gateway.example.net/hermit",
                "https://gateway.example.net:444/hermit",
                "https://gateway.example.net",
                "https://gateway.example.net/hermit/x",
                "https://example.net/hermit"))
            assertThat(token(other)).as(other).isEmpty();
    }

    private Optional<String> token(String url) throws CliFailure {
        env.put("HERMIT_URL", url);
        var surroundings = surroundings(OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
        return Connection.of(surroundings, new HermitHome(home)).token();
    }

    @Test
    void a_kept_token_that_others_can_read_is_refused() throws Exception {
        var file = new HermitHome(home).login(URI.create(gateway.url()));
        file.write("kept");
        Files.setPosixFilePermissions(file.path(), PosixFilePermissions.fromString("rw-r--r--"));
        var ended = hermit("agents", "list", "--json");
        assertThat(ended.code()).isEqualTo(5);
        assertThat(ended.json().path("code").asText()).isEqualTo("token_exposed");
        assertThat(ended.err()).contains("revoke the token").doesNotContain("kept\n");
        assertThat(gateway.asked()).isEmpty();
    }

    @Test
    void without_any_token_the_call_goes_out_without_one() {
        hermit("agents", "list");
        assertThat(gateway.last().headers()).doesNotContainKey("Authorization");
    }

    @Test
    void a_gateway_elsewhere_never_gets_this_machines_token() throws Exception {
        tokenFile("from-file", "rw-------");
        env.put("HERMIT_URL", "https://gateway.example.net");
        env.put("HERMIT_ADMIN_TOKEN", "set-by-operator");
        var surroundings = surroundings(OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
        assertThat(Connection.of(surroundings, new HermitHome(home)).token()).isEmpty();
    }

    @Test
    void without_an_address_it_is_where_the_gateway_of_this_home_listens() throws Exception {
        env.remove("HERMIT_URL");
        Files.writeString(
                home.resolve("gateway.json"),
                "{\"server\":{\"host\":\"0.0.0.0\",\"port\":%d}}".formatted(gateway.port()));
        assertThat(hermit("agents", "list").code()).isZero();
        Files.writeString(home.resolve("gateway.json"), "{");
        assertThat(hermit("agents", "list").code()).isEqualTo(78);
        Files.delete(home.resolve("gateway.json"));
        assertThat(new HermitHome(home).gatewayAddress()).hasToString("http://127.0.0.1:4000");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:4000", "ftp://x", "http://", "http://user:pw@x", "http://x?y", "not a url"})
    void an_address_that_is_none_is_a_usage_error(String url) {
        env.put("HERMIT_URL", url);
        assertThat(hermit("agents", "list").code()).isEqualTo(2);
    }
}
