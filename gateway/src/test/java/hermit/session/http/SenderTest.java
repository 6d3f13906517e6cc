package hermit.session.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.People;
import hermit.TestGateway;
import hermit.http.TestClient;
import hermit.http.TestClient.Answer;
import hermit.http.TestEvents;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Whose the calls of a channel are, after it has opened a session.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class SenderTest {
    private static final String SESSIONS = "/api/agents/main/sessions";
    private static final String AS_ANN = "?channel=telegram&channel_user_id=ann";
    private static final String AS_BOB = "?channel=telegram&channel_user_id=bob";
    private static final String AS_OLGA = "?channel=telegram&channel_user_id=olga";

    private final TestGateway gateway = new TestGateway();
    private final TestClient admin = gateway.client;
    private final People people = new People(gateway);
    private TestClient telegram = admin;
    private String ann = "";
    private String bob = "";
    private String olga = "";
    private String session = "";

    @BeforeEach
    void ann_speaks_through_a_channel() {
        people.agent("main", "private");
        ann = member("ann", "user");
        bob = member("bob", "guest");
        olga = member("olga", "owner");
        telegram = people.channel("telegram").client();
        session = telegram.post(SESSIONS, Map.of("sender", sender("ann"))).header("Location");
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void each_call_is_whose_the_channel_says_that_it_is() {
        assertThat(author(post("hi", "ann"))).isEqualTo("user:" + ann);
        assertThat(author(post("hi", "olga"))).isEqualTo("user:" + olga);
        Answer call = telegram.post(session + "/tools/exec", Map.of("command", "echo x", "sender", sender("ann")));
        assertThat(call.status()).as(call.text()).isEqualTo(200);
        assertThat(admin.get("/api/agents/main/sandboxes/default/execs").items())
                .hasSize(1);
        assertThat(admin.get("/api/audit?action=messages.create").items())
                .extracting(each -> each.get("who") + " " + author(each.get("details")))
                .containsExactly("channel:telegram user:" + olga, "channel:telegram user:" + ann);
    }

    @Test
    void nobody_gets_the_rights_of_whom_the_session_was_opened_for() {
        // Bob is a guest: the session is not his, and he runs nothing in one that is.
        assertThat(post("hi", "bob").status()).isEqualTo(404);
        assertThat(telegram.post(session + "/tools/exec", Map.of("command", "id", "sender", sender("bob")))
                        .status())
                .isEqualTo(404);
        for (String path : List.of("", "/messages", "/events"))
            assertThat(telegram.get(session + path + AS_BOB).status()).as(path).isEqualTo(404);
        assertThat(telegram.send("POST", session + "/cancel" + AS_BOB, "").status())
                .isEqualTo(404);
        assertThat(telegram.send("POST", session + "/end" + AS_BOB, "").status())
                .isEqualTo(404);
        assertThat(telegram.delete(session + AS_BOB).status()).isEqualTo(404);
        assertThat(post("hi", "nobody").status()).isEqualTo(404);
        assertThat(telegram.get(session + AS_ANN).object()).containsEntry("state", "open");
        assertThat(telegram.get(session + AS_OLGA).object()).containsEntry("state", "open");
        String his = telegram.post(SESSIONS, Map.of("sender", sender("bob"))).header("Location");
        assertThat(telegram.post(his + "/tools/exec", Map.of("command", "id", "sender", sender("bob")))
                        .code())
                .isEqualTo("forbidden");
        assertThat(gateway.docker.started).isEmpty();
    }

    @Test
    void a_list_is_of_whom_the_channel_speaks_for() {
        telegram.post(SESSIONS, Map.of("sender", sender("bob")));
        assertThat(telegram.get(SESSIONS).items()).hasSize(2);
        assertThat(telegram.get(SESSIONS + AS_ANN).items())
                .singleElement()
                .satisfies(each -> assertThat(each).containsEntry("owner", "user:" + ann));
        Answer stranger = telegram.get(SESSIONS + "?channel=telegram&channel_user_id=eve");
        assertThat(stranger.status()).isEqualTo(404);
        assertThat(stranger.text().replace("main", "none"))
                .isEqualTo(telegram.get("/api/agents/none/sessions").text());
    }

    @Test
    void without_a_sender_it_is_whom_the_session_was_opened_for_as_they_stand_now() {
        assertThat(author(telegram.post(session + "/messages", Map.of("text", "hi"))))
                .isEqualTo("user:" + ann);
        admin.put("/api/agents/main/members/" + ann, Map.of("role", "guest"));
        assertThat(telegram.post(session + "/tools/exec", Map.of("command", "id"))
                        .code())
                .isEqualTo("forbidden");
        admin.delete("/api/agents/main/members/" + ann);
        assertThat(telegram.post(session + "/messages", Map.of("text", "hi")).status())
                .isEqualTo(404);
    }

    @Test
    void an_identity_that_was_taken_away_or_given_to_another_opens_nothing_any_more() throws Exception {
        post("hi", "ann");
        try (var events = TestEvents.open(telegram, session + "/events")) {
            assertThat(events.next()).isPresent();
            admin.delete("/api/users/" + ann + "/identities" + AS_ANN);
            assertThat(telegram.post(session + "/messages", Map.of("text", "hi"))
                            .status())
                    .isEqualTo(404);
            gateway.recheckStreams();
            assertThat(events.next().orElseThrow().name()).isEqualTo("error");
        }
        // Olga owns the agent: as herself she would see the session, as whom it was opened for she does not.
        admin.post("/api/users/" + olga + "/identities", sender("ann"));
        assertThat(telegram.get(session).status()).isEqualTo(404);
        assertThat(telegram.post(session + "/messages", Map.of("text", "hi")).status())
                .isEqualTo(404);
    }

    @Test
    void two_people_who_turn_out_to_be_one_keep_what_was_opened() {
        admin.post("/api/users/" + ann + "/merge", Map.of("into", bob));
        assertThat(author(telegram.post(session + "/messages", Map.of("text", "hi"))))
                .isEqualTo("user:" + bob);
    }

    @Test
    void only_a_channel_says_whom_it_speaks_for_and_only_of_its_own_people() {
        var user = people.member("main", "user").client();
        String own = user.post(SESSIONS, Map.of()).header("Location");
        for (var each : List.of(user, admin)) {
            String path = each == user ? own : session;
            assertThat(each.post(path + "/messages", Map.of("text", "x", "sender", sender("olga")))
                            .code())
                    .isEqualTo("forbidden");
            assertThat(each.post(path + "/tools/exec", Map.of("command", "id", "sender", sender("olga")))
                            .code())
                    .isEqualTo("forbidden");
            assertThat(each.get(path + AS_OLGA).code()).isEqualTo("forbidden");
            assertThat(each.get(SESSIONS + AS_OLGA).code()).isEqualTo("forbidden");
        }
        assertThat(user.post(session + "/messages", Map.of("text", "x", "sender", sender("olga")))
                        .status())
                .isEqualTo(404);
        var slack = Map.of("channel", "slack", "channel_user_id", "ann");
        assertThat(telegram.post(session + "/messages", Map.of("text", "x", "sender", slack))
                        .status())
                .isEqualTo(404);
        people.policy("main", "public");
        assertThat(telegram.post(session + "/messages", Map.of("text", "x", "sender", slack))
                        .code())
                .isEqualTo("forbidden");
        assertThat(telegram.post(session + "/messages", Map.of("text", "x", "sender", Map.of("channel", "telegram")))
                        .paths())
                .containsExactly("sender.channel_user_id");
        assertThat(telegram.get(session + "?channel=telegram").paths()).containsExactly("channel_user_id");
        assertThat(gateway.docker.started).isEmpty();
    }

    private String member(String name, String role) {
        admin.post(
                "/api/agents/main/members",
                Map.of("channel", "telegram", "channel_user_id", name, "display_name", name, "role", role));
        return admin.get("/api/users").items().stream()
                .filter(each -> name.equals(each.get("name")))
                .map(each -> String.valueOf(each.get("id")))
                .findFirst()
                .orElseThrow();
    }

    private Answer post(String text, String who) {
        return telegram.post(session + "/messages", Map.of("text", text, "sender", sender(who)));
    }

    private static Map<String, Object> sender(String name) {
        return Map.of("channel", "telegram", "channel_user_id", name);
    }

    private static String author(Answer said) {
        assertThat(said.status()).as(said.text()).isEqualTo(201);
        return author(said.object().get("data"));
    }

    private static String author(@Nullable Object data) {
        return data instanceof Map<?, ?> map ? String.valueOf(map.get("author")) : "";
    }
}
