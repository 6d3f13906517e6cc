package hermit.access.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.People;
import hermit.Racing;
import hermit.TestGateway;
import hermit.http.TestClient;
import hermit.http.TestClient.Answer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class MemberRoutesTest {
    private static final String ALL = "/api/agents/main/members";
    private static final Map<String, Object> SESAME = Map.of("access_token", "open sesame");

    private final TestGateway gateway = new TestGateway();
    private final People people = new People(gateway);

    @BeforeEach
    void an_agent() {
        people.agent("main", "protected");
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void whoever_makes_an_agent_owns_it() {
        var ada = people.person("Ada");
        assertThat(ada.client().post("/api/agents", Map.of("id", "hers")).status())
                .isEqualTo(201);
        assertThat(roles("/api/agents/hers/members")).containsExactly(Map.entry(ada.id(), "owner"));
        assertThat(ada.client().get("/api/agents").items())
                .extracting(each -> each.get("id"))
                .containsExactly("hers");
    }

    @Test
    void the_access_token_makes_a_user_of_a_stranger() {
        var ada = people.person("Ada");
        assertThat(ada.client().get("/api/agents/main").code()).isEqualTo("join_required");
        assertThat(ada.client().get("/api/agents/main").text()).contains("POST /api/agents/main/members");
        var joined = ada.client().post(ALL, SESAME);
        assertThat(joined.status()).isEqualTo(200);
        assertThat(joined.object()).containsEntry("role", "user");
        assertThat(ada.client().get("/api/agents/main").status()).isEqualTo(200);
        assertThat(ada.client().post(ALL, SESAME).object()).isEqualTo(joined.object());
    }

    @ParameterizedTest
    @ValueSource(strings = {"owner", "user", "emperor"})
    void whoever_joins_does_not_choose_the_role(String role) {
        var ada = people.person("Ada");
        var answer = ada.client().post(ALL, Map.of("access_token", "open sesame", "role", role));
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.paths()).containsExactly("role");
        assertThat(roles(ALL)).isEmpty();
        assertThat(ada.client().post(ALL, Map.of("role", role)).code()).isEqualTo("join_required");
    }

    @Test
    void a_guest_who_shows_the_access_token_stays_what_an_owner_made_them() {
        var guest = people.member("main", "guest");
        assertThat(guest.client().post(ALL, SESAME).object()).containsEntry("role", "guest");
    }

    @Test
    void a_wrong_access_token_opens_nothing_and_can_be_tried_five_times() {
        var eve = people.person("Eve");
        for (int i = 0; i < 5; i++) {
            var answer = eve.client().post(ALL, Map.of("access_token", "wrong " + i));
            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.text()).doesNotContain("wrong " + i);
        }
        var limited = eve.client().post(ALL, SESAME);
        assertThat(limited.status()).isEqualTo(429);
        assertThat(limited.header("Retry-After")).isEqualTo("60");
        assertThat(roles(ALL)).isEmpty();
        assertThat(people.person("Ada").client().post(ALL, SESAME).status()).isEqualTo(200);
    }

    @Test
    void a_protected_agent_without_an_access_token_lets_nobody_join() {
        gateway.client.send("PUT", "/api/agents/main/security", """
                {"access": "protected", "autonomy_level": "full", "require_approval_for": [], "access_token": null}""");
        var eve = people.person("Eve");
        for (String each : new String[] {"", "null", "open sesame"})
            assertThat(eve.client().post(ALL, Map.of("access_token", each)).status())
                    .isEqualTo(403);
    }

    @Test
    void nobody_joins_a_private_agent_also_not_with_its_token_and_many_tries_tell_nothing() {
        people.policy("main", "private");
        var eve = people.person("Eve");
        for (int i = 0; i < 60; i++)
            for (String agent : new String[] {"main", "none"})
                assertThat(eve.client()
                                .post("/api/agents/" + agent + "/members", SESAME)
                                .text())
                        .contains("\"detail\":\"No such agent: " + agent + "\"");
        assertThat(roles(ALL)).isEmpty();
    }

    @Test
    void programs_and_channels_do_not_join() {
        for (var each : new People.Someone[] {people.program("main"), people.channel("telegram")})
            assertThat(each.client().post(ALL, SESAME).status()).isEqualTo(403);
        assertThat(gateway.client.post(ALL, SESAME).status()).isEqualTo(403);
        assertThat(roles(ALL)).isEmpty();
    }

    @Test
    void an_owner_adds_somebody_by_id_once() {
        var owner = people.member("main", "owner");
        var ada = people.person("Ada");
        var wanted = Map.of("user_id", ada.id(), "role", "guest");
        assertThat(owner.client().post(ALL, wanted).object()).containsEntry("role", "guest");
        var again = owner.client().post(ALL, Map.of("user_id", ada.id(), "role", "owner"));
        assertThat(again.object()).containsEntry("role", "guest");
    }

    @Test
    void an_owner_adds_somebody_who_was_never_seen_by_what_they_are_known_as() {
        var owner = people.member("main", "owner");
        var identity = Map.of("channel", "telegram", "channel_user_id", "123", "display_name", "Ada", "role", "user");
        var added = owner.client().post(ALL, identity);
        assertThat(added.text()).contains("\"name\":\"Ada\"").contains("\"channel_user_id\":\"123\"");
        assertThat(owner.client().post(ALL, identity).object()).isEqualTo(added.object());
        assertThat(owner.client().get(ALL).text()).contains("\"channel_user_id\":\"123\"");
    }

    @Test
    void sixteen_who_add_the_same_stranger_at_once_make_one_person() throws Exception {
        var identity = Map.of("channel", "telegram", "channel_user_id", "123", "role", "user");
        var racers = new ArrayList<Callable<Answer>>();
        for (int i = 0; i < 16; i++) racers.add(() -> gateway.client.post(ALL, identity));
        assertThat(Racing.of(racers).results()).hasSize(16).allMatch(each -> each.status() == 200);
        assertThat(roles(ALL)).hasSize(1);
        assertThat(gateway.client.get("/api/users").items()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"role\":\"user\"}",
                "{\"user_id\":\"x\",\"role\":\"user\"}",
                "{\"user_id\":null,\"role\":\"user\"}",
                "{\"user_id\":\"ID\"}",
                "{\"user_id\":\"ID\",\"role\":\"emperor\"}",
                "{\"user_id\":\"ID\",\"role\":\"admin\"}",
                "{\"user_id\":\"ID\",\"role\":\"user\",\"channel\":\"telegram\"}",
                "{\"channel\":\"telegram\",\"role\":\"user\"}",
                "{\"channel\":\"Tele gram\",\"channel_user_id\":\"1\",\"role\":\"user\"}",
                "{\"channel\":\"telegram\",\"channel_user_id\":\"a b\",\"role\":\"user\"}",
                "{\"channel\":\"telegram\",\"channel_user_id\":\"1\",\"display_name\":\" \",\"role\":\"user\"}"
            })
    void a_document_that_makes_no_member_is_refused_with_its_mistakes(String document) {
        var ada = people.person("Ada");
        var answer = gateway.client.send("POST", ALL, document.replace("ID", ada.id()));
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.paths()).isNotEmpty();
        assertThat(roles(ALL)).isEmpty();
        assertThat(gateway.client.get("/api/users").items()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"guest", "user"})
    void who_is_no_owner_gives_nobody_anything(String role) {
        var member = people.member("main", role);
        var friend = people.person("friend");
        assertThat(member.client()
                        .post(ALL, Map.of("user_id", friend.id(), "role", "guest"))
                        .status())
                .isEqualTo(403);
        assertThat(member.client()
                        .put(ALL + "/" + member.id(), Map.of("role", "owner"))
                        .status())
                .isEqualTo(403);
        assertThat(roles(ALL)).containsExactly(Map.entry(member.id(), role));
    }

    @Test
    void the_last_owner_can_neither_leave_nor_become_less_by_accident() {
        var owner = people.member("main", "owner");
        String self = ALL + "/" + owner.id();
        assertThat(owner.client().post(ALL, Map.of()).status()).isEqualTo(400);
        assertThat(owner.client().put(self, Map.of()).status()).isEqualTo(400);
        assertThat(owner.client().put(self, Map.of("role", "user")).code()).isEqualTo("conflict");
        assertThat(owner.client().delete(self).code()).isEqualTo("conflict");
        assertThat(gateway.client.delete("/api/users/" + owner.id()).code()).isEqualTo("conflict");
        assertThat(roles(ALL)).containsExactly(Map.entry(owner.id(), "owner"));

        people.member("main", "owner");
        assertThat(owner.client().put(self, Map.of("role", "user")).status()).isEqualTo(200);
        assertThat(owner.client().get(ALL).status()).isEqualTo(403);
    }

    @Test
    void a_removed_member_is_a_stranger_at_once() {
        var ada = people.member("main", "user");
        assertThat(ada.client().get("/api/agents/main").status()).isEqualTo(200);
        assertThat(gateway.client.delete(ALL + "/" + ada.id()).status()).isEqualTo(204);
        assertThat(ada.client().get("/api/agents/main").code()).isEqualTo("join_required");
        assertThat(ada.client().get("/api/agents").items()).isEmpty();
        assertThat(gateway.client.delete(ALL + "/" + ada.id()).status()).isEqualTo(404);
        for (String each : new String[] {"x", new UUID(1, 1).toString()}) {
            assertThat(gateway.client.delete(ALL + "/" + each).status()).isEqualTo(404);
            assertThat(gateway.client
                            .put(ALL + "/" + each, Map.of("role", "user"))
                            .status())
                    .isEqualTo(404);
        }
    }

    @Test
    void somebody_known_through_another_agent_is_a_stranger_here() {
        people.agent("secret", "private");
        var ada = people.member("main", "owner");
        for (String path : new String[] {"", "/members", "/sandboxes", "/config"})
            assertThat(ada.client().get("/api/agents/secret" + path).code()).isEqualTo("not_found");
        assertThat(ada.client().get("/api/agents/main/members/" + ada.id()).status())
                .isIn(404, 405);
    }

    private Map<String, String> roles(String path) {
        return roles(gateway.client, path);
    }

    private static Map<String, String> roles(TestClient client, String path) {
        var roles = new LinkedHashMap<String, String>();
        for (var each : client.get(path).items())
            roles.put(
                    Optional.ofNullable((Map<?, ?>) each.get("user"))
                            .map(user -> String.valueOf(user.get("id")))
                            .orElse(""),
                    String.valueOf(each.get("role")));
        return roles;
    }
}
