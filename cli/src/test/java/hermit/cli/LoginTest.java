package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `hermit login`, `logout` and `whoami`.
class LoginTest extends CliTest {
    private static final String ANN =
            "{\"kind\":\"user\",\"caller\":\"user:u1\",\"user\":{\"id\":\"u1\",\"name\":\"Ann\"},\"read_only\":true}";

    @BeforeEach
    void nobodyIsLoggedIn() {
        env.remove("HERMIT_TOKEN");
    }

    private Path file() {
        return new HermitHome(home).login(URI.create(gateway.url())).path();
    }

    private static String permissions(Path path) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void a_token_on_stdin_is_tried_and_then_kept_for_its_owner_only() throws Exception {
        gateway.on("GET /api/me", 200, ANN);
        typed("hut_secret\n");
        var ended = hermit("login");
        assertThat(ended.code()).isZero();
        assertThat(ended.out()).isEqualTo("Logged in at %s as Ann\n".formatted(gateway.url()));
        assertThat(gateway.last().headers()).containsEntry("Authorization", "Bearer hut_secret");
        assertThat(Files.readString(file())).isEqualTo("hut_secret\n");
        assertThat(permissions(file())).isEqualTo("rw-------");
        assertThat(permissions(file().resolveSibling(""))).isEqualTo("rwx------");
        try (var left = Files.list(file().resolveSibling(""))) {
            assertThat(left).containsExactly(file());
        }

        gateway.on("GET /api/agents?limit=1000", 200, list());
        hermit("agents", "list");
        assertThat(gateway.last().headers()).containsEntry("Authorization", "Bearer hut_secret");
    }

    @Test
    void at_a_terminal_it_is_asked_for() throws Exception {
        gateway.on("GET /api/me", 200, ANN);
        var asked = new ArrayList<String>();
        prompt = question -> {
            asked.add(question);
            return Optional.of("hut_typed");
        };
        assertThat(hermit("login").code()).isZero();
        assertThat(asked).containsExactly("Token: ");
        assertThat(Files.readString(file())).isEqualTo("hut_typed\n");
    }

    @Test
    void the_document_and_the_messages_do_not_have_the_token() {
        gateway.on("GET /api/me", 200, ANN);
        env.put("HERMIT_TOKEN", "other");
        typed("hut_secret");
        var ended = hermit("login", "--json");
        assertThat(ended.json().path("me").path("caller").asText()).isEqualTo("user:u1");
        assertThat(ended.json().path("token_file").asText()).isEqualTo(file().toString());
        assertThat(ended.out() + ended.err()).doesNotContain("hut_secret");
        assertThat(ended.err()).contains("HERMIT_TOKEN is set");
    }

    @Test
    void a_token_that_the_gateway_does_not_know_is_not_kept() {
        gateway.problem("GET /api/me", 401, "unauthenticated", "The token is not valid");
        typed("hut_wrong");
        var ended = hermit("login");
        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.err()).isEqualTo("hermit: The token is not valid\n");
        assertThat(file()).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "two words", "two\nlines", "with\ttab", "naïve"})
    void what_is_no_token_is_never_sent(String text) {
        typed(text);
        var ended = hermit("login");
        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.err()).contains("one word of 1 to 512 characters");
        assertThat(gateway.asked()).isEmpty();
    }

    @Test
    void a_token_is_no_argument() {
        assertThat(hermit("login", "hut_secret").code()).isEqualTo(2);
        assertThat(hermit("login", "--token", "hut_secret").code()).isEqualTo(2);
        assertThat(gateway.asked()).isEmpty();
    }

    @Test
    void a_login_that_others_could_read_is_replaced_by_a_new_one() throws Exception {
        gateway.on("GET /api/me", 200, ANN);
        typed("hut_old");
        hermit("login");
        Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThat(hermit("whoami").code()).isEqualTo(5);
        typed("hut_new");
        assertThat(hermit("login").code()).isZero();
        assertThat(Files.readString(file())).isEqualTo("hut_new\n");
        assertThat(permissions(file())).isEqualTo("rw-------");
    }

    @Test
    void where_it_cannot_be_kept_it_says_so() throws Exception {
        gateway.on("GET /api/me", 200, ANN);
        Files.writeString(home.resolve("logins"), "");
        typed("hut_secret");
        var ended = hermit("login");
        assertThat(ended.code()).isEqualTo(5);
        assertThat(ended.err()).contains("write the token file").doesNotContain("hut_secret");
    }

    @Test
    void logout_forgets_the_token_of_this_gateway_only() throws Exception {
        var elsewhere = new HermitHome(home).login(URI.create("https://gateway.example.net"));
        elsewhere.write("other");
        gateway.on("GET /api/me", 200, ANN);
        typed("hut_secret");
        hermit("login");
        assertThat(hermit("logout", "--json").json().path("logged_out").asBoolean())
                .isTrue();
        assertThat(file()).doesNotExist();
        assertThat(elsewhere.path()).exists();
        assertThat(hermit("logout").out()).isEqualTo("Nobody was logged in at %s\n".formatted(gateway.url()));
    }

    @Test
    void whoami_says_who_and_where_the_token_is_from() {
        gateway.on("GET /api/me", 200, ANN);
        typed("hut_secret");
        hermit("login");
        assertThat(hermit("whoami").out()).isEqualTo("""
                name        Ann
                caller      user:u1
                read_only   true
                gateway     %s
                token_from  %s
                """.formatted(gateway.url(), file()));
        env.put("HERMIT_TOKEN", "other");
        assertThat(hermit("whoami").out()).contains("token_from  HERMIT_TOKEN\n");
        assertThat(hermit("whoami", "--json").json().path("user").path("id").asText())
                .isEqualTo("u1");
    }

    @Test
    void nobody_is_somebody_without_a_token() {
        gateway.problem("GET /api/me", 401, "unauthenticated", "A token is needed");
        assertThat(hermit("whoami").code()).isEqualTo(1);
        assertThat(gateway.last().headers()).doesNotContainKey("Authorization");
    }
}
