package hermit.session.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.People;
import hermit.TestGateway;
import hermit.exec.LiveState;
import hermit.http.TestClient;
import hermit.http.TestClient.Answer;
import hermit.http.TestEvents;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class SessionRoutesTest {
    private static final String SESSIONS = "/api/agents/main/sessions";

    private final TestGateway gateway = new TestGateway();
    private final TestClient admin = gateway.client;
    private final People people = new People(gateway);

    @BeforeEach
    void an_agent() {
        admin.post("/api/agents", Map.of("id", "main"));
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void a_session_is_opened_spoken_in_resumed_ended_and_deleted() {
        var user = people.member("main", "user").client();
        Answer opened = user.post(
                SESSIONS,
                Map.of(
                        "source", Map.of("kind", "cli", "interactive", true),
                        "metadata", Map.of("topic", "weather")));
        assertThat(opened.status()).as(opened.text()).isEqualTo(201);
        assertThat(opened.object()).containsEntry("state", "open").containsEntry("last_event_id", 0);
        String path = opened.header("Location");
        Answer said = user.post(path + "/messages", Map.of("text", "hello"));
        assertThat(said.status()).isEqualTo(201);
        assertThat(said.object()).containsEntry("id", 1).containsEntry("type", "user_message");
        user.post(path + "/messages", Map.of("text", "again"));
        assertThat(user.get(path + "/messages?limit=1").items()).hasSize(1);
        String cursor =
                String.valueOf(user.get(path + "/messages?limit=1").object().get("next_cursor"));
        assertThat(user.get(path + "/messages?limit=1&cursor=" + cursor).items())
                .singleElement()
                .satisfies(each -> assertThat(each).containsEntry("id", 2));

        assertThat(user.post(path + "/end", Map.of()).object())
                .containsEntry("state", "ended")
                .containsEntry("end_reason", "requested");
        assertThat(user.post(path + "/messages", Map.of("text", "late")).status())
                .isEqualTo(409);
        Answer resumed = user.post(SESSIONS, Map.of("session_id", id(opened)));
        assertThat(resumed.status()).isEqualTo(200);
        assertThat(resumed.object())
                .containsEntry("state", "open")
                .containsEntry("metadata", Map.of("topic", "weather"));
        assertThat(user.get(SESSIONS).items()).hasSize(1);

        assertThat(user.delete(path).status()).isEqualTo(204);
        assertThat(user.get(path).status()).isEqualTo(404);
        assertThat(user.get(path + "/messages").status()).isEqualTo(404);
        assertThat(user.delete(path).status()).isEqualTo(404);
    }

    @Test
    void each_sees_their_own_sessions_and_owners_see_all() {
        var one = people.member("main", "user").client();
        var other = people.member("main", "user").client();
        var owner = people.member("main", "owner").client();
        var program = people.program("main").client();
        String ofOne = one.post(SESSIONS, Map.of()).header("Location");
        String ofProgram = program.post(SESSIONS, Map.of()).header("Location");
        for (var stranger : List.of(other, program)) {
            assertThat(stranger.get(ofOne).status()).isEqualTo(404);
            assertThat(stranger.get(ofOne).text())
                    .isEqualTo(stranger.get(SESSIONS + "/" + UUID.randomUUID()).text());
            assertThat(stranger.post(ofOne + "/messages", Map.of("text", "x")).status())
                    .isEqualTo(404);
            assertThat(stranger.post(ofOne + "/end", Map.of()).status()).isEqualTo(404);
            assertThat(stranger.delete(ofOne).status()).isEqualTo(404);
            assertThat(stranger.get(ofOne + "/events").status()).isEqualTo(404);
            assertThat(stranger.post(ofOne + "/tools/list_files", Map.of("path", "/"))
                            .status())
                    .isEqualTo(404);
        }
        assertThat(one.get(SESSIONS).items()).hasSize(1);
        assertThat(other.get(SESSIONS).items()).isEmpty();
        assertThat(program.get(SESSIONS).items()).hasSize(1);
        assertThat(owner.get(SESSIONS).items()).hasSize(2);
        assertThat(owner.get(ofOne).status()).isEqualTo(200);
        assertThat(admin.get(ofProgram).object()).containsEntry("state", "open");
    }

    @Test
    void who_is_known_at_another_agent_is_a_stranger_to_a_private_one_and_leaves_nothing_there() {
        admin.post("/api/agents", Map.of("id", "other"));
        var user = people.member("other", "user").client();
        String theirs = admin.post(SESSIONS, Map.of()).header("Location");
        String id = theirs.substring(theirs.lastIndexOf('/') + 1);
        Answer refused = user.post(SESSIONS, Map.of());
        Answer unknown = user.post("/api/agents/none/sessions", Map.of());
        assertThat(refused.status()).isEqualTo(404);
        assertThat(refused.text().replace("main", "none")).isEqualTo(unknown.text());
        assertThat(user.post(SESSIONS, Map.of("session_id", id)).text()).isEqualTo(refused.text());
        assertThat(user.get(theirs).text()).isEqualTo(refused.text());
        // The id of a session of one agent means nothing at another.
        assertThat(user.get("/api/agents/other/sessions/" + id).status()).isEqualTo(404);
        assertThat(admin.get(SESSIONS).items()).hasSize(1);
        assertThat(admin.get("/api/agents/main/members").items()).isEmpty();
    }

    @Test
    void a_protected_agent_says_how_to_join_and_a_public_one_makes_a_guest() {
        var user = people.person("u");
        access("protected");
        assertThat(user.client().post(SESSIONS, Map.of()).code()).isEqualTo("join_required");
        access("public");
        assertThat(user.client().get(SESSIONS).status()).isEqualTo(403);
        assertThat(user.client().post(SESSIONS, Map.of()).status()).isEqualTo(201);
        assertThat(admin.get("/api/agents/main/members").items())
                .singleElement()
                .satisfies(each -> assertThat(each).containsEntry("role", "guest"));
    }

    @Test
    void a_member_who_was_removed_is_refused_at_the_next_call() {
        var user = people.member("main", "user");
        String path = user.client().post(SESSIONS, Map.of()).header("Location");
        admin.delete("/api/agents/main/members/" + user.id());
        assertThat(user.client().post(path + "/messages", Map.of("text", "x")).status())
                .isEqualTo(404);
        assertThat(user.client()
                        .post(path + "/tools/read_file", Map.of("path", "x"))
                        .status())
                .isEqualTo(404);
        access("public");
        assertThat(user.client().post(path + "/messages", Map.of("text", "x")).status())
                .isEqualTo(403);
    }

    @Test
    void only_a_channel_vouches_and_only_for_its_own_people() {
        var user = people.member("main", "user").client();
        var sender = Map.of("channel", "telegram", "channel_user_id", "42", "display_name", "Ann");
        assertThat(user.post(SESSIONS, Map.of("sender", sender)).code()).isEqualTo("forbidden");
        assertThat(admin.post(SESSIONS, Map.of("sender", sender)).code()).isEqualTo("forbidden");
        assertThat(people.program("main")
                        .client()
                        .post(SESSIONS, Map.of("sender", sender))
                        .code())
                .isEqualTo("forbidden");
        var slack = people.channel("slack").client();
        var telegram = people.channel("telegram").client();
        // The agent is private: who is not a member learns nothing, and no person is made of them.
        assertThat(telegram.post(SESSIONS, Map.of("sender", sender)).status()).isEqualTo(404);
        assertThat(slack.post(SESSIONS, Map.of("sender", sender)).status()).isEqualTo(404);
        assertThat(admin.get("/api/users").items()).hasSize(1);

        access("public");
        assertThat(slack.post(SESSIONS, Map.of("sender", sender)).code()).isEqualTo("forbidden");
        assertThat(telegram.post(SESSIONS, Map.of()).paths()).containsExactly("sender");
        Answer opened = telegram.post(SESSIONS, Map.of("sender", sender));
        assertThat(opened.status()).as(opened.text()).isEqualTo(201);
        assertThat(opened.object()).containsEntry("channel", "telegram");
        Answer again = telegram.post(SESSIONS, Map.of("sender", sender, "session_id", id(opened)));
        assertThat(again.status()).isEqualTo(200);
        assertThat(admin.get("/api/users").items()).hasSize(2);

        String path = opened.header("Location");
        assertThat(telegram.post(path + "/messages", Map.of("text", "hi"))
                        .object()
                        .get("data"))
                .isEqualTo(Map.of("author", opened.object().get("owner"), "text", "hi"));
        assertThat(slack.get(path).status()).isEqualTo(404);
        assertThat(telegram.get(SESSIONS).items()).hasSize(1);
        assertThat(slack.get(SESSIONS).items()).isEmpty();
        // Guests run nothing, whoever speaks for them.
        assertThat(telegram.post(path + "/tools/exec", Map.of("command", "id")).code())
                .isEqualTo("forbidden");
    }

    @Test
    void at_a_private_agent_a_channel_speaks_for_its_members_and_for_nobody_else() {
        var known = Map.of("channel", "telegram", "channel_user_id", "42");
        admin.post("/api/agents/main/members", Map.of("channel", "telegram", "channel_user_id", "42", "role", "user"));
        var telegram = people.channel("telegram").client();
        Answer opened = telegram.post(SESSIONS, Map.of("sender", known));
        assertThat(opened.status()).as(opened.text()).isEqualTo(201);
        var unknown = Map.of("channel", "telegram", "channel_user_id", "43");
        Answer refused = telegram.post(SESSIONS, Map.of("sender", unknown));
        assertThat(refused.status()).isEqualTo(404);
        assertThat(refused.text().replace("main", "none"))
                .isEqualTo(telegram.post("/api/agents/none/sessions", Map.of("sender", unknown))
                        .text());
        assertThat(admin.get("/api/users").items()).hasSize(1);
    }

    @Test
    void somebody_else_who_resumes_a_session_overwrites_nothing() {
        var user = people.member("main", "user").client();
        Answer opened = user.post(SESSIONS, Map.of("metadata", Map.of("a", "mine")));
        Answer byAdmin = admin.post(SESSIONS, Map.of("session_id", id(opened), "metadata", Map.of("a", "stolen")));
        assertThat(byAdmin.status()).isEqualTo(200);
        assertThat(user.get(opened.header("Location")).object()).containsEntry("metadata", Map.of("a", "mine"));
        user.post(SESSIONS, Map.of("session_id", id(opened), "metadata", Map.of("a", "new")));
        assertThat(user.get(opened.header("Location")).object()).containsEntry("metadata", Map.of("a", "new"));
    }

    @Test
    void bad_bodies_name_every_mistake() {
        assertThat(admin.post(
                                SESSIONS,
                                Map.of("source", Map.of("kind", 5, "colour", "red"), "metadata", Map.of("a", 1)))
                        .paths())
                .contains("source.kind", "source.colour", "metadata");
        assertThat(admin.post(SESSIONS, Map.of("role", "owner")).paths()).containsExactly("role");
        String path = admin.post(SESSIONS, Map.of()).header("Location");
        assertThat(admin.post(path + "/messages", Map.of("text", " ")).paths()).containsExactly("text");
        assertThat(admin.get(path + "/events?after=x").status()).isEqualTo(400);
    }

    @Test
    void events_are_followed_and_resumed_exactly() throws Exception {
        String path = admin.post(SESSIONS, Map.of()).header("Location");
        for (int i = 1; i <= 450; i++) admin.post(path + "/messages", Map.of("text", "m" + i));
        try (var first = TestEvents.open(admin, path + "/events")) {
            assertThat(ids(first, 450)).startsWith(1L, 2L).endsWith(449L, 450L).doesNotHaveDuplicates();
            admin.post(path + "/messages", Map.of("text", "live"));
            assertThat(ids(first, 1)).containsExactly(451L);
        }
        try (var resumed = TestEvents.resume(admin, path + "/events", "449")) {
            assertThat(ids(resumed, 2)).containsExactly(450L, 451L);
            admin.post(path + "/end", Map.of());
            assertThat(ids(resumed, 1)).containsExactly(452L);
            admin.delete(path);
            assertThat(resumed.next()).isEmpty();
        }
    }

    @Test
    void who_may_not_see_a_session_any_more_stops_following_it() throws Exception {
        var user = people.member("main", "owner");
        people.member("main", "owner");
        String path = admin.post(SESSIONS, Map.of()).header("Location");
        admin.post(path + "/messages", Map.of("text", "secret"));
        try (var events = TestEvents.open(user.client(), path + "/events")) {
            assertThat(ids(events, 1)).containsExactly(1L);
            admin.put("/api/agents/main/members/" + user.id(), Map.of("role", "user"));
            gateway.recheckStreams();
            assertThat(events.next().orElseThrow().name()).isEqualTo("error");
            assertThat(events.next()).isEmpty();
        }
    }

    @Test
    void a_silent_session_ends_by_itself() {
        String path = admin.post(SESSIONS, Map.of()).header("Location");
        gateway.time.advance(Duration.ofMinutes(59));
        admin.post(path + "/messages", Map.of("text", "still here"));
        gateway.time.advance(Duration.ofMinutes(59));
        gateway.endSilentSessions();
        assertThat(admin.get(path).object()).containsEntry("state", "open");
        gateway.time.advance(Duration.ofMinutes(1));
        gateway.endSilentSessions();
        assertThat(admin.get(path).object()).containsEntry("state", "ended").containsEntry("end_reason", "idle");
    }

    @Test
    void machines_come_and_go_with_sessions_where_the_lifecycle_says_so() throws Exception {
        admin.put(
                "/api/agents/main/config",
                Map.of("exec", Map.of("lifecycle", Map.of("start", "session", "stop", "session"))));
        var sandbox = UUID.fromString(String.valueOf(
                admin.get("/api/agents/main/sandboxes").items().getFirst().get("id")));
        String one = admin.post(SESSIONS, Map.of()).header("Location");
        String two = admin.post(SESSIONS, Map.of()).header("Location");
        gateway.settle();
        assertThat(gateway.docker.state(sandbox)).contains(LiveState.State.RUNNING);
        admin.post(one + "/end", Map.of());
        gateway.settle();
        assertThat(gateway.docker.state(sandbox)).contains(LiveState.State.RUNNING);
        admin.post(two + "/end", Map.of());
        gateway.settle();
        assertThat(gateway.docker.state(sandbox)).contains(LiveState.State.STOPPED);
    }

    private void access(String level) {
        var stored = admin.put(
                "/api/agents/main/security",
                Map.of(
                        "access",
                        level,
                        "autonomy_level",
                        "full",
                        "require_approval_for",
                        List.of(),
                        "access_token",
                        "open sesame"));
        assertThat(stored.status()).as(stored.text()).isEqualTo(200);
    }

    private static String id(Answer session) {
        return String.valueOf(session.object().get("session_id"));
    }

    private static List<Long> ids(TestEvents events, int count) throws IOException {
        var ids = new ArrayList<Long>();
        while (ids.size() < count)
            ids.add(Long.parseLong(events.next().orElseThrow().id()));
        return ids;
    }
}
