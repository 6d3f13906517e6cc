package hermit.access.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.People;
import hermit.TestGateway;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class UserRoutesTest {
    private static final String ALL = "/api/users";
    private static final Map<String, Object> TELEGRAM = Map.of("channel", "telegram", "channel_user_id", "12+3");

    private final TestGateway gateway = new TestGateway();
    private final People people = new People(gateway);

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void a_person_is_made_and_found() {
        var made = gateway.client.post(ALL, Map.of("name", "Ada"));
        assertThat(made.status()).isEqualTo(201);
        assertThat(made.object()).containsEntry("name", "Ada").containsEntry("identities", List.of());
        assertThat(gateway.client.get(made.header("Location")).object()).isEqualTo(made.object());
        assertThat(gateway.client.get(ALL).items()).containsExactly(made.object());
    }

    @Test
    void an_identity_is_added_once_and_is_nobody_else_s() {
        var ada = people.person("Ada");
        var eve = people.person("Eve");
        String identities = ALL + "/" + ada.id() + "/identities";
        var added = gateway.client.post(identities, TELEGRAM);
        assertThat(added.text()).contains("\"channel_user_id\":\"12+3\"");
        assertThat(gateway.client.post(identities, TELEGRAM).object()).isEqualTo(added.object());
        assertThat(gateway.client
                        .post(ALL + "/" + eve.id() + "/identities", TELEGRAM)
                        .code())
                .isEqualTo("conflict");
        String one = "?channel=telegram&channel_user_id=12%2B3";
        assertThat(gateway.client
                        .delete(ALL + "/" + eve.id() + "/identities" + one)
                        .status())
                .isEqualTo(404);
        assertThat(gateway.client.delete(identities + one).object()).containsEntry("identities", List.of());
        assertThat(gateway.client.delete(identities + one).status()).isEqualTo(404);
        assertThat(gateway.client.delete(identities + "?channel=telegram").paths())
                .containsExactly("channel_user_id");
    }

    @Test
    void two_people_who_are_one_become_one_and_both_tokens_are_theirs() {
        gateway.client.post("/api/agents", Map.of("id", "main"));
        var ada = people.person("Ada");
        var twin = people.member("main", "owner");
        var merged = gateway.client.post(ALL + "/" + twin.id() + "/merge", Map.of("into", ada.id()));
        assertThat(merged.object()).containsEntry("id", ada.id());
        assertThat(gateway.client.get(ALL + "/" + twin.id()).status()).isEqualTo(404);
        for (var client : List.of(ada.client(), twin.client())) {
            assertThat(client.get("/api/me").object()).containsEntry("caller", "user:" + ada.id());
            assertThat(client.get("/api/agents/main/config").status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"into\":\"x\"}", "{\"into\":5}", "{\"into\":\"SELF\"}"})
    void a_merge_that_makes_no_sense_is_refused(String document) {
        var ada = people.person("Ada");
        var answer = gateway.client.send("POST", ALL + "/" + ada.id() + "/merge", document.replace("SELF", ada.id()));
        assertThat(answer.paths()).containsExactly("into");
        assertThat(gateway.client.get(ALL + "/" + ada.id()).status()).isEqualTo(200);
    }

    @Test
    void who_is_not_there_is_404_everywhere() {
        for (String id : List.of("x", new UUID(1, 1).toString())) {
            String one = ALL + "/" + id;
            assertThat(gateway.client.get(one).status()).isEqualTo(404);
            assertThat(gateway.client.delete(one).status()).isEqualTo(404);
            assertThat(gateway.client.post(one + "/identities", TELEGRAM).status())
                    .isEqualTo(404);
        }
        var ada = people.person("Ada");
        assertThat(gateway.client
                        .post(ALL + "/" + ada.id() + "/merge", Map.of("into", new UUID(1, 1)))
                        .status())
                .isEqualTo(404);
    }

    @Test
    void me_is_whoever_asks() {
        gateway.client.post("/api/agents", Map.of("id", "main"));
        var ada = people.person("Ada");
        assertThat(gateway.client.get("/api/me").object())
                .containsEntry("kind", "admin")
                .containsEntry("caller", "admin")
                .containsEntry("creates_agents", true);
        assertThat(ada.client().get("/api/me").object())
                .containsEntry("kind", "user")
                .containsEntry("read_only", false)
                .containsEntry("creates_agents", true);
        assertThat(people.channel("telegram").client().get("/api/me").object())
                .containsEntry("channel", "telegram")
                .containsEntry("creates_agents", false)
                .containsEntry("caller", "channel:telegram");
        assertThat(people.program("main").client().get("/api/me").text()).contains("\"caller\":\"agent:");
    }
}
