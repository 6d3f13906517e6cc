package hermit.tool.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.People;
import hermit.People.Someone;
import hermit.TestGateway;
import hermit.http.TestClient;
import hermit.http.TestClient.Answer;
import hermit.http.TestEvents;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class CancellationTest {
    private static final String SESSIONS = "/api/agents/main/sessions";

    private final TestGateway gateway = new TestGateway();
    private final TestClient admin = gateway.client;
    private final People people = new People(gateway);
    private Someone user = new Someone("", "", admin);
    private String session = "";

    @BeforeEach
    void a_session_of_a_user() {
        people.agent("main", "private");
        user = people.member("main", "user");
        session = user.client().post(SESSIONS, Map.of()).header("Location");
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void commands_that_run_end_cancelled_and_the_session_goes_on() throws Exception {
        var waiting = CompletableFuture.supplyAsync(() -> call("exec", "hang"));
        String background =
                String.valueOf(result(call("exec_background", "hang")).get("exec_id"));
        awaitStarted(2);
        Answer cancelled = cancel();
        assertThat(cancelled.status()).as(cancelled.text()).isEqualTo(200);
        assertThat(texts(cancelled, "exec_ids")).hasSize(2).contains(background);
        assertThat(texts(cancelled, "approval_ids")).isEmpty();
        assertThat(result(waiting.get())).containsEntry("end_reason", "cancelled");
        Answer status =
                user.client().post(session + "/tools/exec_status", Map.of("exec_id", background, "wait_ms", 60_000));
        assertThat(result(status)).containsEntry("end_reason", "cancelled");
        assertThat(user.client().get(session).object()).containsEntry("state", "open");
        assertThat(result(call("exec", "echo on"))).containsEntry("stdout", "on\n");

        var notice = events("tool_result", 4).stream()
                .filter(each -> each.name().equals("notice"))
                .toList();
        assertThat(notice)
                .singleElement()
                .satisfies(each -> assertThat(each.data())
                        .contains("\"notice\":\"cancelled\"", "\"author\":\"user:" + user.id() + "\"", background));
    }

    @Test
    void cancelling_again_and_where_nothing_runs_changes_nothing() throws Exception {
        assertThat(texts(cancel(), "exec_ids")).isEmpty();
        call("exec_background", "hang");
        awaitStarted(1);
        assertThat(texts(cancel(), "exec_ids")).hasSize(1);
        assertThat(texts(cancel(), "exec_ids")).isEmpty();
        var said = events("notice", 1).stream().map(TestEvents.Event::name).toList();
        assertThat(said).containsOnlyOnce("notice");
    }

    @Test
    void what_waits_for_an_approval_is_cancelled_and_whoever_waits_is_told() throws Exception {
        supervised();
        var waiting = CompletableFuture.supplyAsync(
                () -> user.client().post(session + "/tools/exec", Map.of("command", "echo never", "wait_ms", 60_000)));
        String approval = awaitApproval("pending");
        assertThat(texts(cancel(), "approval_ids")).containsExactly(approval);
        assertThat(waiting.get().object())
                .containsEntry("state", "cancelled")
                .containsEntry("reason", "the session's calls were cancelled");
        assertThat(admin.post("/api/approvals/" + approval + "/decision", Map.of("decision", "approve"))
                        .code())
                .isEqualTo("already_decided");
        gateway.poll();
        assertThat(gateway.docker.started).isEmpty();
        assertThat(events("approval_decided", 1).getLast().data()).contains("\"author\":\"user:" + user.id());
    }

    @Test
    void an_approved_command_whose_machine_is_still_coming_up_never_begins() throws Exception {
        supervised();
        gateway.docker.gate = new CountDownLatch(1);
        call("exec", "echo never");
        String approval = "/api/approvals/" + awaitApproval("pending");
        admin.post(approval + "/decision", Map.of("decision", "approve"));
        while (gateway.docker.ensures.get() == 0) Thread.onSpinWait();
        assertThat(admin.get(approval).object()).containsEntry("state", "executing");
        cancel();
        gateway.docker.gate.countDown();
        gateway.settle();
        assertThat(admin.get(approval).object())
                .containsEntry("state", "cancelled")
                .containsEntry("reason", "it was cancelled before it began");
        assertThat(gateway.docker.started).isEmpty();
    }

    @Test
    void an_approved_command_that_runs_ends_cancelled() throws Exception {
        supervised();
        call("exec", "hang");
        String approval = "/api/approvals/" + awaitApproval("pending");
        admin.post(approval + "/decision", Map.of("decision", "approve"));
        awaitStarted(1);
        assertThat(texts(cancel(), "exec_ids")).hasSize(1);
        gateway.settle();
        assertThat(admin.get(approval).object()).containsEntry("state", "done");
        assertThat(result(admin.get(approval))).containsEntry("end_reason", "cancelled");
    }

    @Test
    void another_session_is_left_alone_and_others_cannot_cancel_this_one() {
        var other = people.member("main", "user");
        String theirs = other.client().post(SESSIONS, Map.of()).header("Location");
        other.client().post(theirs + "/tools/exec_background", Map.of("command", "hang"));
        assertThat(texts(cancel(), "exec_ids")).isEmpty();
        assertThat(user.client().send("POST", theirs + "/cancel", "").status()).isEqualTo(404);
        assertThat(texts(admin.send("POST", theirs + "/cancel", ""), "exec_ids"))
                .hasSize(1);
    }

    private Answer cancel() {
        return user.client().send("POST", session + "/cancel", "");
    }

    private Answer call(String tool, String command) {
        return user.client().post(session + "/tools/" + tool, Map.of("command", command));
    }

    private void supervised() {
        admin.put(
                "/api/agents/main/security",
                Map.of("access", "private", "autonomy_level", "supervised", "require_approval_for", List.of("exec")));
    }

    private void awaitStarted(int count) {
        while (true)
            synchronized (gateway.docker.started) {
                if (gateway.docker.started.size() >= count) return;
                Thread.onSpinWait();
            }
    }

    private String awaitApproval(String state) {
        while (true) {
            var found = admin.get("/api/approvals?state=" + state).items();
            if (!found.isEmpty()) return String.valueOf(found.getFirst().get("id"));
        }
    }

    /// All events up to so many of this type.
    private List<TestEvents.Event> events(String last, int count) throws Exception {
        try (var stream = TestEvents.open(user.client(), session + "/events")) {
            var all = new ArrayList<TestEvents.Event>();
            while (all.stream().filter(each -> each.name().equals(last)).count() < count)
                all.add(stream.next().orElseThrow());
            return all;
        }
    }

    private static List<String> texts(Answer answer, String field) {
        if (!(answer.object().get(field) instanceof List<?> list)) throw new AssertionError(answer.text());
        return list.stream().map(String::valueOf).toList();
    }

    private static Map<String, Object> result(Answer answer) {
        if (!(answer.object().get("result") instanceof Map<?, ?> found)) throw new AssertionError(answer.text());
        var result = new HashMap<String, Object>();
        found.forEach((key, value) -> result.put(String.valueOf(key), value));
        return result;
    }
}
