package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConfigSecurityTest extends CliTest {
    private static final String SECURITY = "/api/agents/main/security";
    private static final String POLICY =
            "{\"access\":\"protected\",\"autonomy_level\":\"supervised\",\"require_approval_for\":[\"exec\"],\"guests_may_run\":true,\"access_token_set\":true}";

    @BeforeEach
    void policy() {
        gateway.on("GET " + SECURITY, 200, POLICY).on("PUT " + SECURITY, 200, POLICY);
    }

    private String put() {
        assertThat(gateway.last().method()).isEqualTo("PUT");
        return gateway.last().body().toString();
    }

    @Test
    void it_is_shown_as_a_document() {
        assertThat(hermit("config", "security", "show").json().toString()).isEqualTo(POLICY);
        assertThat(hermit("config", "security", "get", "require_approval_for").out())
                .isEqualTo("[ \"exec\" ]\n");
        assertThat(hermit("config", "security", "get", "access", "--json")
                        .json()
                        .asText())
                .isEqualTo("protected");
        var missing = hermit("config", "security", "get", "access_token", "--json");
        assertThat(missing.code()).isEqualTo(1);
        assertThat(missing.json().path("code").asText()).isEqualTo("not_found");
    }

    @Test
    void the_agent_is_the_named_or_the_usual_one() {
        gateway.on("GET /api/agents/ada/security", 200, POLICY).on("GET /api/agents/bob/security", 200, POLICY);
        env.put("HERMIT_AGENT", "ada");
        assertThat(hermit("config", "security", "show").code()).isZero();
        assertThat(hermit("config", "security", "show", "--agent", "bob").code())
                .isZero();
        assertThat(gateway.asked())
                .extracting(FakeGateway.Asked::path)
                .containsExactly("/api/agents/ada/security", "/api/agents/bob/security");
    }

    @Test
    void one_field_is_changed_and_the_others_are_sent_back() {
        var ended = hermit("config", "security", "set", "access", "private");
        assertThat(ended.code()).isZero();
        assertThat(ended.out()).startsWith("The security policy of agent 'main' is now\n");
        assertThat(put())
                .isEqualTo(
                        "{\"access\":\"private\",\"autonomy_level\":\"supervised\",\"require_approval_for\":[\"exec\"],\"guests_may_run\":true}");
        hermit("config", "security", "set", "require_approval_for", "[\"exec\",\"write_file\"]");
        assertThat(put()).contains("\"require_approval_for\":[\"exec\",\"write_file\"]");
        hermit("config", "security", "set", "guests_may_run", "false");
        assertThat(put()).contains("\"guests_may_run\":false");
    }

    @Test
    void an_access_token_is_read_from_stdin_and_removed_by_null() {
        typed("correct horse\n");
        var ended = hermit("config", "security", "set", "access_token");
        assertThat(put()).contains("\"access_token\":\"correct horse\"").doesNotContain("access_token_set");
        assertThat(ended.out() + ended.err()).doesNotContain("correct horse");
        hermit("config", "security", "set", "access_token", "null");
        assertThat(put()).contains("\"access_token\":null");
    }

    @Test
    void what_makes_no_sense_changes_nothing() {
        var argument = hermit("config", "security", "set", "access_token", "secret");
        assertThat(argument.code()).isEqualTo(2);
        assertThat(argument.err()).contains("send it to stdin").doesNotContain("secret\n");
        assertThat(hermit("config", "security", "set", "access").err()).contains("Give a VALUE for access");
        assertThat(hermit("config", "security", "set", "access_token_set", "true")
                        .err())
                .contains("set that");
        assertThat(hermit("config", "security", "set").code()).isEqualTo(2);
        assertThat(hermit("config", "security", "write").code()).isEqualTo(2);
        assertThat(hermit("config", "security").err()).contains("One of show, get, set, write");
        assertThat(gateway.asked()).isEmpty();
    }

    @Test
    void the_gateways_word_on_a_mistake_names_the_field() {
        gateway.problem("PUT " + SECURITY, 400, "invalid", "acess: unknown, did you mean access?");
        var ended = hermit("config", "security", "set", "acess", "private");
        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.err()).isEqualTo("hermit: acess: unknown, did you mean access?\n");
        assertThat(put()).contains("\"acess\":\"private\"");
    }

    @Test
    void a_whole_policy_is_written_from_a_file_or_stdin_and_back_from_what_show_prints() throws Exception {
        Path file = home.resolve("policy.json");
        Files.writeString(file, hermit("config", "security", "show").out());
        assertThat(hermit("config", "security", "write", file.toString()).code())
                .isZero();
        assertThat(put()).isEqualTo(POLICY.replace(",\"access_token_set\":true", ""));
        typed("{\"access\":\"public\",\"access_token\":null}");
        assertThat(hermit("config", "security", "write", "-").code()).isZero();
        assertThat(put()).isEqualTo("{\"access\":\"public\",\"access_token\":null}");
    }

    @Test
    void what_is_no_policy_is_never_sent() throws Exception {
        for (String text : new String[] {"", "[]", "{", "{} {}"}) {
            typed(text);
            assertThat(hermit("config", "security", "write", "-").code()).isEqualTo(2);
        }
        var missing = hermit(
                "config", "security", "write", home.resolve("nothing.json").toString());
        assertThat(missing.code()).isEqualTo(5);
        assertThat(missing.err()).contains("nothing.json");
        assertThat(gateway.asked()).isEmpty();
    }
}
