package hermit;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.People.Someone;
import hermit.db.TestDatabase;
import hermit.exec.ExecId;
import hermit.http.Raw;
import hermit.http.TestClient;
import hermit.http.TestClient.Answer;
import hermit.http.TestEvents;
import hermit.http.TestRpc;
import hermit.http.TestSocket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Two whole gateways on one PostgreSQL: what is done at `one` is honoured at `two`. A gateway looks
/// for itself every two seconds, and for news twice a second; here it looks when it is told.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class TwoGatewaysTest {
    private static final String SANDBOX = "/api/agents/main/sandboxes/default";
    private static final String SESSIONS = "/api/agents/main/sessions";
    private static final String WS = "/api/agents/main/ws";

    private final TestGateway one = new TestGateway(TestDatabase.POSTGRESQL, Optional.of("docker-ubuntu"));
    private final TestGateway two = one.neighbour();
    private final People people = new People(one);

    @BeforeEach
    void an_agent_with_an_owner() {
        people.agent("main", "private");
        people.member("main", "owner");
    }

    @AfterEach
    void close() {
        two.close();
        one.close();
    }

    @Test
    void a_gateway_looks_often_enough_to_end_a_right_within_five_seconds() {
        assertThat(Gateway.RECHECK_EVERY.multipliedBy(2)).isLessThan(Duration.ofSeconds(5));
        assertThat(Gateway.POLL_EVERY).isLessThanOrEqualTo(Duration.ofSeconds(1));
    }

    enum Taking {
        TOKEN,
        PERSON,
        MEMBERSHIP,
        ROLE
    }

    @ParameterizedTest
    @EnumSource(Taking.class)
    void a_right_that_is_taken_at_one_ends_what_is_open_at_the_other(Taking taking) throws Exception {
        var owner = people.member("main", "owner");
        var there = there(owner);
        String session = one.client.post(SESSIONS, Map.of()).header("Location");
        one.client.post(session + "/messages", Map.of("text", "hello"));
        String terminal = two.client.post(SANDBOX + "/terminals", Map.of()).header("Location");
        try (var events = TestEvents.open(there, session + "/events");
                var rpc = new TestRpc(two.port(), WS, owner.token());
                var look = TestSocket.open(two.port(), terminal, owner.token())) {
            assertThat(events.next()).isPresent();
            look.message("replay");
            rpc.result("events.subscribe", Map.of("session_id", id(session), "after", 1));
            two.recheckStreams();
            take(taking, owner);

            assertThat(there.post(session + "/messages", Map.of("text", "x")).status())
                    .isIn(401, 404);
            assertThat(rpc.problem("messages.list", Map.of("session_id", id(session))))
                    .hasEntrySatisfying("status", status -> assertThat(status).isIn(401, 404));
            two.recheckStreams();
            assertThat(events.next().orElseThrow().name()).isEqualTo("error");
            assertThat(look.closed()).isEqualTo(1_008);
            if (taking == Taking.ROLE)
                // A user still talks to the agent, and does not see this session any more.
                assertThat(rpc.notification("subscription.ended")).containsKey("error");
            else assertThat(rpc.socket.closed()).isEqualTo(1_008);
        }
    }

    @Test
    void an_agent_that_is_made_private_at_one_is_gone_for_strangers_at_the_other() throws Exception {
        people.policy("main", "public");
        var stranger = people.person("stranger");
        try (var rpc = new TestRpc(two.port(), WS, stranger.token())) {
            rpc.problem("sessions.list", Map.of());
            people.policy("main", "private");
            assertThat(there(stranger).post(SESSIONS, Map.of()).status()).isEqualTo(404);
            two.recheckStreams();
            assertThat(rpc.socket.closed()).isEqualTo(1_008);
        }
    }

    @Test
    void a_policy_that_is_set_at_one_counts_for_the_next_call_at_the_other() {
        var user = people.member("main", "user");
        String session = there(user).post(SESSIONS, Map.of()).header("Location");
        assertThat(call(user, session, "echo x").status()).isEqualTo(200);
        policy("readonly");
        assertThat(call(user, session, "echo x").code()).isEqualTo("forbidden");
        policy("supervised");
        assertThat(call(user, session, "echo x").status()).isEqualTo(202);
        assertThat(one.docker.started).hasSize(1);
    }

    @Test
    void a_logout_at_one_ends_what_that_login_has_open_at_the_other() throws Exception {
        var owner = people.member("main", "owner");
        String cookie = one.client
                .anonymous()
                .post("/api/auth/login", Map.of("token", owner.token()))
                .header("Set-Cookie")
                .replaceAll(";.*", "");
        String session = owner.client().post(SESSIONS, Map.of()).header("Location");
        owner.client().post(session + "/messages", Map.of("text", "hello"));
        try (var stream = new Raw(two.port())) {
            stream.send(Raw.request("GET " + session + "/events", "Cookie: " + cookie));
            stream.readUntil("event: user_message\n");
            var page = one.client.anonymous();
            Answer logout = page.send(page.request("/api/auth/logout")
                    .header("Cookie", cookie)
                    .headers("Origin", "http://127.0.0.1:" + one.port(), "X-Hermit-CSRF", "1")
                    .POST(BodyPublishers.noBody()));
            assertThat(logout.status()).isEqualTo(204);
            two.recheckStreams();
            assertThat(stream.readToEnd()).contains("event: error\n").contains("\"status\":401");
        }
    }

    @Test
    void what_is_approved_at_one_runs_once_at_the_other_and_everybody_learns_it() throws Exception {
        policy("supervised");
        var user = people.member("main", "user");
        String session = there(user).post(SESSIONS, Map.of()).header("Location");
        try (var log = TestEvents.open(user.client(), session + "/events");
                var inbox = TestEvents.open(one.client, "/api/approvals/events")) {
            var waiting = CompletableFuture.supplyAsync(
                    () -> there(user).post(session + "/tools/exec", Map.of("command", "echo once", "wait_ms", 60_000)));
            String approval = "/api/approvals/" + pending();
            assertThat(decide(one.client, approval).status()).isEqualTo(200);
            assertThat(decide(two.client, approval).code()).isEqualTo("already_decided");
            Answer answer = polled(waiting);
            assertThat(answer.object()).containsEntry("state", "done");
            assertThat(answer.text()).contains("\"stdout\":\"once\\n\"");
            assertThat(one.docker.started).hasSize(1);

            for (String each : List.of("tool_call", "approval_required", "approval_decided", "tool_output"))
                assertThat(polled(log).name()).isEqualTo(each);
            assertThat(polled(log).name()).isEqualTo("tool_result");
            while (!polled(inbox).data().contains("\"state\":\"done\"")) Thread.onSpinWait();
        }
    }

    @Test
    void of_two_who_decide_at_both_one_does() throws Exception {
        policy("supervised");
        var user = people.member("main", "user");
        String session = there(user).post(SESSIONS, Map.of()).header("Location");
        for (int i = 0; i < 5; i++) {
            call(user, session, "echo " + i);
            String approval = "/api/approvals/" + pending();
            var answers = Racing.of(List.<Callable<Answer>>of(
                            () -> decide(one.client, approval), () -> decide(two.client, approval)))
                    .results();
            assertThat(answers.stream().map(Answer::status)).containsExactlyInAnyOrder(200, 409);
            one.poll();
            two.poll();
            one.settle();
            two.settle();
            assertThat(one.client.get(approval).object()).containsEntry("state", "done");
            assertThat(one.docker.started).hasSize(i + 1);
        }
    }

    @Test
    void what_is_cancelled_at_one_ends_at_the_other() throws Exception {
        var user = people.member("main", "user");
        String session = there(user).post(SESSIONS, Map.of()).header("Location");
        var waiting = CompletableFuture.supplyAsync(() -> call(user, session, "hang"));
        ExecId exec = started();
        assertThat(user.client().send("POST", session + "/cancel", "").object())
                .containsEntry("exec_ids", List.of(exec.toString()));
        assertThat(polled(waiting).text()).contains("\"end_reason\":\"cancelled\"");
    }

    @Test
    void a_command_that_is_cancelled_at_one_ends_at_the_other() throws Exception {
        String execs = "/api/agents/main/sandboxes/default/execs";
        var waiting = CompletableFuture.supplyAsync(() -> one.client.post(execs, Map.of("command", "hang")));
        ExecId exec = started();
        assertThat(two.client.send("DELETE", execs + "/" + exec, "").status()).isEqualTo(202);
        assertThat(polled(waiting).text()).contains("\"end_reason\":\"cancelled\"");
    }

    private void take(Taking taking, Someone from) {
        switch (taking) {
            case TOKEN -> {
                var token = from.client().get("/api/tokens").items().getFirst();
                one.client.delete("/api/tokens/" + token.get("id"));
            }
            case PERSON -> one.client.delete("/api/users/" + from.id());
            case MEMBERSHIP -> one.client.delete("/api/agents/main/members/" + from.id());
            case ROLE -> one.client.put("/api/agents/main/members/" + from.id(), Map.of("role", "user"));
        }
    }

    private void policy(String autonomy) {
        one.client.put(
                "/api/agents/main/security",
                Map.of("access", "private", "autonomy_level", autonomy, "require_approval_for", List.of("exec")));
    }

    /// The same person at the other gateway.
    private TestClient there(Someone who) {
        return new TestClient(two.port(), who.token());
    }

    private Answer call(Someone who, String session, String command) {
        return there(who).post(session + "/tools/exec", Map.of("command", command));
    }

    private String pending() {
        while (true) {
            var found = one.client.get("/api/approvals?state=pending").items();
            if (!found.isEmpty()) return String.valueOf(found.getFirst().get("id"));
        }
    }

    private ExecId started() {
        while (true)
            synchronized (one.docker.started) {
                if (!one.docker.started.isEmpty()) return one.docker.started.getFirst();
                Thread.onSpinWait();
            }
    }

    private static Answer decide(TestClient by, String approval) {
        return by.post(approval + "/decision", Map.of("decision", "approve"));
    }

    /// What comes of it while both gateways look for news.
    private <T> T polled(Future<T> wanted) throws Exception {
        while (!wanted.isDone()) {
            one.poll();
            two.poll();
        }
        return wanted.get();
    }

    private TestEvents.Event polled(TestEvents events) throws Exception {
        return polled(CompletableFuture.supplyAsync(() -> {
            try {
                return events.next().orElseThrow();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }));
    }

    private static String id(String session) {
        return session.substring(session.lastIndexOf('/') + 1);
    }
}
