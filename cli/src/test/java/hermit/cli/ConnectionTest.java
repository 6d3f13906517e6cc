package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.file.Files;
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
