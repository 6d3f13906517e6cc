package hermit.access.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.TestGateway;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class SecurityRoutesTest {
    private static final String PATH = "/api/agents/main/security";
    private final TestGateway gateway = new TestGateway();

    @BeforeEach
    void an_agent() {
        gateway.client.post("/api/agents", Map.of("id", "main"));
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void a_new_agent_is_private_and_supervised() {
        assertThat(gateway.client.get(PATH).object())
                .isEqualTo(Map.of(
                        "access", "private",
                        "autonomy_level", "supervised",
                        "require_approval_for", List.of("exec"),
                        "guests_may_run", false,
                        "access_token_set", false));
    }

    @Test
    void the_access_token_goes_in_and_never_comes_out() {
        String policy =
                """
                {"access": "protected", "autonomy_level": "full", "require_approval_for": [], "access_token": "CANARY-123"}""";
        var answer = gateway.client.send("PUT", PATH, policy);
        assertThat(answer.object()).containsEntry("access_token_set", true).containsEntry("access", "protected");
        assertThat(answer.text()).doesNotContain("CANARY");
        assertThat(gateway.client.get(PATH).text()).doesNotContain("CANARY");
        var silent = Map.of("access", "public", "autonomy_level", "full", "require_approval_for", List.of());
        assertThat(gateway.client.put(PATH, silent).object()).containsEntry("access_token_set", true);
        String removed =
                """
                {"access": "public", "autonomy_level": "full", "require_approval_for": [], "access_token": null}""";
        assertThat(gateway.client.send("PUT", PATH, removed).object()).containsEntry("access_token_set", false);
    }

    @Test
    void a_policy_that_was_read_cannot_be_written_back_with_its_mask() {
        assertThat(gateway.client.put(PATH, gateway.client.get(PATH).object()).paths())
                .containsExactly("access_token_set");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"access\":\"public\"}",
                "{\"access\":\"public\",\"autonomy_level\":\"full\"}",
                "{\"access\":\"all\",\"autonomy_level\":\"full\",\"require_approval_for\":[]}",
                "{\"access\":null,\"autonomy_level\":\"full\",\"require_approval_for\":[]}",
                "{\"access\":\"public\",\"autonomy_level\":\"full\",\"require_approval_for\":[\"exce\"]}",
                "{\"access\":\"public\",\"autonomy_level\":\"full\",\"require_approval_for\":[],\"access_token\":\"\"}",
                "{\"access\":\"public\",\"autonomy_level\":\"full\",\"require_approval_for\":[],\"acces_token\":\"x\"}"
            })
    void a_refused_policy_leaves_the_old_one_in_force(String policy) {
        var before = gateway.client.get(PATH).object();
        var answer = gateway.client.send("PUT", PATH, policy);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.paths()).isNotEmpty();
        assertThat(gateway.client.get(PATH).object()).isEqualTo(before);
    }

    @Test
    void the_policy_of_an_agent_that_is_not_there_is_404() {
        assertThat(gateway.client.get("/api/agents/other/security").status()).isEqualTo(404);
        var whole = Map.of("access", "public", "autonomy_level", "full", "require_approval_for", List.of());
        assertThat(gateway.client.put("/api/agents/other/security", whole).status())
                .isEqualTo(404);
    }
}
