package hermit.access.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.People;
import hermit.TestGateway;
import hermit.http.TestClient.Answer;
import java.time.Duration;
import java.util.HashSet;
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
class TokenRoutesTest {
    private static final String ALL = "/api/tokens";

    private final TestGateway gateway = new TestGateway();
    private final People people = new People(gateway);

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void a_secret_is_shown_once_and_its_kind_is_seen_from_its_beginning() {
        gateway.client.post("/api/agents", Map.of("id", "main"));
        var ada = people.person("Ada");
        var secrets = new HashSet<String>();
        for (var wanted : List.of(
                Map.of("name", "a", "user_id", ada.id()),
                Map.of("name", "b", "channel", "telegram"),
                Map.of("name", "c", "agent_id", "main"))) {
            var issued = gateway.client.post(ALL, wanted);
            assertThat(issued.status()).isEqualTo(201);
            String secret = String.valueOf(issued.object().get("secret"));
            assertThat(secret).matches("(hut|hct|hgt)_[A-Za-z0-9_-]{43}");
            assertThat(secret).endsWith(String.valueOf(issued.object().get("hint")));
            assertThat(issued.header("Location"))
                    .isEqualTo(ALL + "/" + issued.object().get("id"));
            secrets.add(secret);
        }
        assertThat(secrets.stream().map(each -> each.substring(0, 4)))
                .containsExactlyInAnyOrder("hut_", "hct_", "hgt_");
        String list = gateway.client.get(ALL).text();
        assertThat(secrets).noneMatch(list::contains);
    }

    @Test
    void a_person_makes_sees_and_revokes_their_own_only() {
        var ada = people.person("Ada");
        var bob = people.person("Bob");
        var own = ada.client().post(ALL, Map.of("name", "laptop"));
        assertThat(own.object()).containsEntry("user_id", ada.id()).containsEntry("kind", "user");
        assertThat(ada.client().get(ALL).items())
                .hasSize(2)
                .allMatch(each -> ada.id().equals(each.get("user_id")));
        for (var wanted : List.<Map<String, Object>>of(
                Map.of("name", "x", "user_id", bob.id()),
                Map.of("name", "x", "channel", "telegram"),
                Map.of("name", "x", "agent_id", "main")))
            assertThat(ada.client().post(ALL, wanted).status()).isEqualTo(403);
        String bobs = String.valueOf(bob.client().get(ALL).items().getFirst().get("id"));
        assertThat(ada.client().delete(ALL + "/" + bobs).status()).isEqualTo(404);
        assertThat(bob.client().get("/api/me").status()).isEqualTo(200);
        assertThat(ada.client().delete(own.header("Location")).status()).isEqualTo(204);
        assertThat(ada.client().delete(own.header("Location")).status()).isEqualTo(404);
        assertThat(gateway.client.delete(ALL + "/x").status()).isEqualTo(404);
    }

    @Test
    void a_revoked_token_opens_nothing_from_the_next_request_on() {
        var ada = people.person("Ada");
        String id = String.valueOf(ada.client().get(ALL).items().getFirst().get("id"));
        assertThat(gateway.client.delete(ALL + "/" + id).status()).isEqualTo(204);
        assertThat(ada.client().get("/api/me").code()).isEqualTo("unauthenticated");
    }

    @Test
    void a_token_expires_on_its_day() {
        var ada = people.person("Ada");
        var issued = gateway.client.post(ALL, Map.of("name", "x", "user_id", ada.id(), "expires_in_days", 2));
        assertThat(issued.object()).containsEntry("expires_at", "2026-11-03T10:00:00Z");
        var client = gateway.client.as(String.valueOf(issued.object().get("secret")));
        gateway.time.advance(Duration.ofDays(2).minusSeconds(1));
        assertThat(client.get("/api/me").status()).isEqualTo(200);
        gateway.time.advance(Duration.ofSeconds(1));
        assertThat(client.get("/api/me").status()).isEqualTo(401);
    }

    @Test
    void a_token_that_ends_makes_none_that_outlives_it() {
        var ada = people.person("Ada");
        var issued = gateway.client.post(ALL, Map.of("name", "x", "user_id", ada.id(), "expires_in_days", 2));
        var client = gateway.client.as(String.valueOf(issued.object().get("secret")));
        assertThat(client.post(ALL, Map.of("name", "y")).object()).containsEntry("expires_at", "2026-11-03T10:00:00Z");
        assertThat(client.post(ALL, Map.of("name", "y", "expires_in_days", 9)).object())
                .containsEntry("expires_at", "2026-11-03T10:00:00Z");
        assertThat(client.post(ALL, Map.of("name", "y", "expires_in_days", 1)).object())
                .containsEntry("expires_at", "2026-11-02T10:00:00Z");
    }

    @Test
    void the_last_use_is_known_to_the_minute() {
        var ada = people.person("Ada");
        assertThat(lastUse(ada.client().get(ALL))).isEqualTo("2026-11-01T10:00:00Z");
        gateway.time.advance(Duration.ofSeconds(59));
        assertThat(lastUse(ada.client().get(ALL))).isEqualTo("2026-11-01T10:00:00Z");
        gateway.time.advance(Duration.ofSeconds(1));
        assertThat(lastUse(ada.client().get(ALL))).isEqualTo("2026-11-01T10:01:00Z");
    }

    @Test
    void the_tokens_of_somebody_who_was_deleted_are_worth_nothing_anywhere() {
        people.agent("main", "public");
        var ada = people.member("main", "user");
        gateway.client.delete("/api/users/" + ada.id());
        for (String path : List.of("/api/me", "/api/agents", "/api/agents/main", ALL, "/api/sandbox-presets"))
            assertThat(ada.client().get(path).status()).as(path).isEqualTo(401);
    }

    @Test
    void a_program_s_token_ends_with_its_agent() {
        gateway.client.post("/api/agents", Map.of("id", "main"));
        var program = people.program("main");
        assertThat(program.client().get("/api/me").object()).containsEntry("kind", "agent");
        assertThat(program.client().get("/api/agents").items())
                .extracting(each -> each.get("id"))
                .containsExactly("main");
        gateway.client.delete("/api/agents/main");
        gateway.client.post("/api/agents", Map.of("id", "main"));
        assertThat(program.client().get("/api/me").status()).isEqualTo(401);
    }

    @Test
    void a_token_that_reads_changes_nothing_and_makes_no_other_that_would() {
        people.agent("main", "private");
        var owner = people.member("main", "owner");
        var reader = people.reading(owner);
        assertThat(reader.client().get("/api/agents/main/config").status()).isEqualTo(200);
        assertThat(reader.client().get("/api/me").object()).containsEntry("read_only", true);
        for (Answer each : List.of(
                reader.client().put("/api/agents/main/config", Map.of()),
                reader.client().post(ALL, Map.of("name", "x")),
                reader.client().post("/api/agents", Map.of("id", "another")),
                reader.client().delete("/api/agents/main")))
            assertThat(each.status()).isEqualTo(403);
        assertThat(reader.client()
                        .post("/api/auth/ticket", Map.of("path", "/api/approvals/events"))
                        .status())
                .isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"name\":\"x\"}",
                "{\"name\":\" \",\"channel\":\"telegram\"}",
                "{\"name\":\"x\",\"user_id\":\"nonsense\"}",
                "{\"name\":\"x\",\"agent_id\":\"nobody\"}",
                "{\"name\":\"x\",\"agent_id\":\"../x\"}",
                "{\"name\":\"x\",\"channel\":\"Tele gram\"}",
                "{\"name\":\"x\",\"channel\":\"a\",\"agent_id\":\"main\"}",
                "{\"name\":\"x\",\"channel\":\"a\",\"scope\":\"read\"}",
                "{\"name\":\"x\",\"channel\":\"a\",\"scope\":\"admin\"}",
                "{\"name\":\"x\",\"channel\":\"a\",\"expires_in_days\":0}",
                "{\"name\":\"x\",\"channel\":\"a\",\"expires_in_days\":4000}"
            })
    void a_token_that_cannot_be_is_refused_with_its_mistakes(String document) {
        gateway.client.post("/api/agents", Map.of("id", "main"));
        var answer = gateway.client.send("POST", ALL, document);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.paths()).isNotEmpty();
        assertThat(gateway.client.get(ALL).items()).isEmpty();
    }

    @Test
    void there_is_no_token_for_somebody_who_is_not_there() {
        assertThat(gateway.client
                        .post(ALL, Map.of("name", "x", "user_id", new UUID(1, 1)))
                        .status())
                .isEqualTo(404);
    }

    private static String lastUse(Answer list) {
        return String.valueOf(list.items().getFirst().get("last_used_at"));
    }
}
