package hermit.approval.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.People;
import hermit.People.Someone;
import hermit.Racing;
import hermit.TestGateway;
import hermit.exec.ExecId;
import hermit.exec.Exit;
import hermit.http.TestClient;
import hermit.http.TestClient.Answer;
import hermit.http.TestEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class ApprovalRoutesTest {
    private static final String SESSIONS = "/api/agents/main/sessions";

    private final TestGateway gateway = new TestGateway();
    private final TestClient admin = gateway.client;
    private final People people = new People(gateway);
    private Someone user = new Someone("", "", admin);
    private Someone owner = new Someone("", "", admin);
    private String session = "";

    @BeforeEach
    void a_session_of_a_user_at_a_supervised_agent() {
        admin.post("/api/agents", Map.of("id", "main"));
        user = people.member("main", "user");
        owner = people.member("main", "owner");
        session = user.client().post(SESSIONS, Map.of()).header("Location");
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void what_an_owner_approves_runs_by_itself_and_once() throws Exception {
        Answer asked = exec("echo hello; exit 3");
        assertThat(asked.status()).as(asked.text()).isEqualTo(202);
        assertThat(asked.object()).containsEntry("state", "pending");
        assertThat(gateway.docker.started).isEmpty();
        String approval = "/api/approvals/" + asked.object().get("approval_id");
        assertThat(owner.client().get("/api/approvals?state=pending").items())
                .singleElement()
                .satisfies(each -> assertThat(each)
                        .containsEntry("requester", "user:" + user.id())
                        .containsEntry("shown", "echo hello; exit 3"));
        assertThat(decide(owner.client(), approval, "approve").object()).containsEntry("state", "approved");
        gateway.settle();
        gateway.poll();
        Answer done = owner.client().get(approval);
        assertThat(done.object()).containsEntry("state", "done").containsEntry("decided_by", "user:" + owner.id());
        assertThat(result(done)).containsEntry("stdout", "hello\n").containsEntry("exit_code", 3);
        assertThat(gateway.docker.started)
                .containsExactly(
                        new ExecId(UUID.fromString(String.valueOf(done.object().get("exec_id")))));
        assertThat(events())
                .containsExactly("tool_call", "approval_required", "approval_decided", "tool_output", "tool_result");
        assertThat(decide(owner.client(), approval, "approve").code()).isEqualTo("already_decided");
    }

    @Test
    void of_ten_who_decide_at_once_one_does() throws Exception {
        String approval = approval(exec("echo once"));
        var deciders = new ArrayList<Callable<Answer>>();
        for (int i = 0; i < 10; i++) deciders.add(() -> decide(owner.client(), approval, "approve"));
        var answers = Racing.of(deciders).results();
        assertThat(answers.stream().filter(each -> each.status() == 200)).hasSize(1);
        assertThat(answers.stream().filter(each -> each.status() != 200))
                .hasSize(9)
                .allSatisfy(each -> assertThat(each.code()).isEqualTo("already_decided"));
        gateway.settle();
        gateway.poll();
        gateway.settle();
        assertThat(gateway.docker.started).hasSize(1);
    }

    @Test
    void only_owners_and_the_admin_decide_and_only_in_person() {
        String approval = approval(exec("id"));
        admin.post("/api/agents", Map.of("id", "other"));
        var decision = Map.of("decision", "approve");
        assertThat(user.client().get(approval).status()).isEqualTo(200);
        assertThat(user.client().post(approval + "/decision", decision).status())
                .isEqualTo(403);
        var member = people.member("main", "user").client();
        assertThat(member.post(approval + "/decision", decision).status()).isEqualTo(403);
        assertThat(member.get(approval).status()).isEqualTo(404);
        var stranger = people.member("other", "owner").client();
        assertThat(stranger.post(approval + "/decision", decision).status()).isEqualTo(404);
        assertThat(stranger.get(approval).status()).isEqualTo(404);
        assertThat(stranger.get("/api/approvals").items()).isEmpty();
        assertThat(stranger.get("/api/agents/main/approvals").status()).isEqualTo(404);
        assertThat(people.program("main")
                        .client()
                        .post(approval + "/decision", decision)
                        .status())
                .isEqualTo(403);
        assertThat(people.program("main").client().get("/api/approvals").status())
                .isEqualTo(403);
        assertThat(people.channel("telegram")
                        .client()
                        .post(approval + "/decision", decision)
                        .status())
                .isEqualTo(403);
        var reader = people.reading(owner).client();
        assertThat(reader.post(approval + "/decision", decision).status()).isEqualTo(403);
        assertThat(owner.client().get(approval).object()).containsEntry("state", "pending");
        assertThat(owner.client().get("/api/agents/main/approvals").items()).hasSize(1);
        assertThat(gateway.docker.started).isEmpty();
    }

    @Test
    void an_owner_may_allow_what_they_ask_for_themselves() throws Exception {
        String own = owner.client().post(SESSIONS, Map.of()).header("Location");
        String approval = approval(owner.client().post(own + "/tools/exec", Map.of("command", "echo mine")));
        assertThat(decide(owner.client(), approval, "approve").status()).isEqualTo(200);
        gateway.settle();
        assertThat(owner.client().get(approval).object()).containsEntry("state", "done");
    }

    @Test
    void what_is_denied_never_runs() {
        String approval = approval(exec("id"));
        Answer denied = owner.client().post(approval + "/decision", Map.of("decision", "deny", "reason", "no"));
        assertThat(denied.object()).containsEntry("state", "denied").containsEntry("reason", "no");
        gateway.poll();
        assertThat(gateway.docker.started).isEmpty();
        assertThat(decide(owner.client(), approval, "approve").code()).isEqualTo("already_decided");
    }

    @Test
    void silence_is_no() {
        String approval = approval(exec("id"));
        gateway.time.advance(Duration.ofMinutes(10).minusSeconds(1));
        gateway.poll();
        assertThat(owner.client().get(approval).object()).containsEntry("state", "pending");
        gateway.time.advance(Duration.ofSeconds(1));
        // Also before anybody has looked for what is due.
        assertThat(decide(owner.client(), approval, "approve").code()).isEqualTo("already_decided");
        assertThat(owner.client().get(approval).object())
                .containsEntry("state", "expired")
                .containsEntry("reason", "expired")
                .containsEntry("decided_by", "hermit");
        assertThat(gateway.docker.started).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"session ended", "session deleted", "sandbox", "agent"})
    void what_was_asked_for_and_is_gone_takes_the_question_with_it(String gone) {
        String approval = approval(exec("id"));
        switch (gone) {
            case "session ended" -> user.client().post(session + "/end", Map.of());
            case "session deleted" -> user.client().delete(session);
            case "sandbox" -> admin.delete("/api/agents/main/sandboxes/default");
            default -> admin.delete("/api/agents/main");
        }
        assertThat(decide(admin, approval, "approve").code()).isEqualTo("already_decided");
        assertThat(admin.get(approval).object()).containsEntry("state", "cancelled");
        assertThat(String.valueOf(admin.get(approval).object().get("reason"))).contains(gone.split(" ", -1)[0]);
        assertThat(gateway.docker.started).isEmpty();
    }

    @Test
    void what_was_approved_for_one_machine_does_not_run_in_another() throws Exception {
        admin.post("/api/agents/main/sandboxes/default/start", Map.of());
        String approval = approval(exec("id"));
        var row = UUID.fromString(String.valueOf(
                admin.get("/api/agents/main/sandboxes/default").object().get("id")));
        gateway.docker.lose(row);
        decide(owner.client(), approval, "approve");
        gateway.settle();
        // The machine was lost and made anew while the call was carried out: nothing ran in the new one.
        assertThat(gateway.docker.started).isEmpty();
        assertThat(String.valueOf(result(owner.client().get(approval)).get("error")))
                .contains("another machine");

        String changed = approval(exec("id"));
        admin.patch("/api/agents/main/sandboxes/default", Map.of("config", Map.of("image", "alpine:3")));
        decide(owner.client(), changed, "approve");
        gateway.settle();
        assertThat(owner.client().get(changed).object()).containsEntry("state", "cancelled");
        assertThat(gateway.docker.started).isEmpty();
    }

    @Test
    void who_was_removed_meanwhile_gets_nothing_carried_out() throws Exception {
        String approval = approval(exec("id"));
        admin.delete("/api/agents/main/members/" + user.id());
        decide(owner.client(), approval, "approve");
        gateway.settle();
        assertThat(owner.client().get(approval).object()).containsEntry("state", "cancelled");
        assertThat(gateway.docker.started).isEmpty();
    }

    @Test
    void the_inbox_is_followed_over_all_agents_and_resumed() throws Exception {
        String first = approval(exec("echo 1"));
        String last;
        try (var inbox = TestEvents.open(owner.client(), "/api/approvals/events")) {
            assertThat(inbox.next().orElseThrow().data()).contains(id(first)).contains("pending");
            decide(owner.client(), first, "deny");
            var denied = inbox.next().orElseThrow();
            assertThat(denied.data()).contains(id(first)).contains("denied");
            last = denied.id();
        }
        String second = approval(exec("echo 2"));
        try (var inbox = TestEvents.resume(owner.client(), "/api/approvals/events", last)) {
            assertThat(inbox.next().orElseThrow().data()).contains(id(second)).contains("pending");
        }
        try (var others = TestEvents.open(people.person("x").client(), "/api/approvals/events");
                var all = TestEvents.open(admin, "/api/approvals/events")) {
            assertThat(all.next().orElseThrow().data()).contains(id(second));
            gateway.close();
            assertThat(others.next().orElseThrow().name()).isEqualTo("error");
        }
    }

    private static String id(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    @Test
    void a_call_may_wait_for_its_answer() throws Exception {
        var answer = CompletableFuture.supplyAsync(() -> exec(Map.of("command", "echo x", "wait_ms", 60_000)));
        String approval = "/api/approvals/" + awaitPending();
        decide(owner.client(), approval, "approve");
        assertThat(answer.get().status()).isEqualTo(200);
        assertThat(answer.get().object()).containsEntry("state", "done");
        assertThat(result(answer.get())).containsEntry("stdout", "x\n");
    }

    @Test
    void the_same_command_need_not_ask_again_where_that_was_said() throws Exception {
        String command = "cd d && echo 'ä b'; exit 0";
        remember(exec(command), "always");
        assertThat(exec(command).status()).isEqualTo(200);
        assertThat(gateway.docker.started).hasSize(2);
        for (String other : List.of(command + "; id", command + " ", "cd d && echo 'ä c'", command + "\nid"))
            assertThat(exec(other).status()).as(other).isEqualTo(202);
        // Another directory, variable or input makes it another command.
        assertThat(exec(Map.of("command", command, "cwd", "/tmp")).status()).isEqualTo(202);
        assertThat(exec(Map.of("command", command, "env", Map.of("A", "1"))).status())
                .isEqualTo(202);
        assertThat(exec(Map.of("command", command, "stdin", "x")).status()).isEqualTo(202);
        // Another person asks, too.
        var other = people.member("main", "user").client();
        String theirs = other.post(SESSIONS, Map.of()).header("Location");
        assertThat(other.post(theirs + "/tools/exec", Map.of("command", command))
                        .status())
                .isEqualTo(202);

        var rule = owner.client().get("/api/approval-rules").items().getFirst();
        assertThat(rule).containsEntry("uses", 1).containsEntry("author", "user:" + owner.id());
        assertThat(user.client().get("/api/approval-rules").items()).isEmpty();
        assertThat(user.client().delete("/api/approval-rules/" + rule.get("id")).status())
                .isEqualTo(404);
        assertThat(owner.client()
                        .delete("/api/approval-rules/" + rule.get("id"))
                        .status())
                .isEqualTo(204);
        assertThat(exec(command).status()).isEqualTo(202);
    }

    @Test
    void a_rule_for_a_session_ends_with_it_and_one_for_ever_after_thirty_days() throws Exception {
        remember(exec("echo a"), "session");
        assertThat(exec("echo a").status()).isEqualTo(200);
        String other = user.client().post(SESSIONS, Map.of()).header("Location");
        assertThat(user.client()
                        .post(other + "/tools/exec", Map.of("command", "echo a"))
                        .status())
                .isEqualTo(202);
        user.client().post(session + "/end", Map.of());
        user.client().post(SESSIONS, Map.of("session_id", session.substring(session.lastIndexOf('/') + 1)));
        assertThat(exec("echo a").status()).isEqualTo(202);

        remember(exec("echo b"), "always");
        gateway.time.advance(Duration.ofDays(30).minusSeconds(1));
        assertThat(exec("echo b").status()).isEqualTo(200);
        gateway.time.advance(Duration.ofSeconds(1));
        assertThat(exec("echo b").status()).isEqualTo(202);
    }

    @Test
    void a_choice_that_cannot_be_remembered_is_refused_and_decides_nothing() {
        String approval = approval(exec("sh -c whoami"));
        Answer refused =
                owner.client().post(approval + "/decision", Map.of("decision", "approve", "remember", "always"));
        assertThat(refused.paths()).containsExactly("remember");
        assertThat(owner.client().get(approval).object()).containsEntry("state", "pending");
        assertThat(owner.client()
                        .post(approval + "/decision", Map.of("decision", "deny", "remember", "always"))
                        .paths())
                .containsExactly("remember");
        assertThat(gateway.docker.started).isEmpty();
    }

    @Test
    void a_command_is_shown_with_all_that_is_in_it() {
        String raw = "echo \u001b[2K\r\u202e safe";
        Answer shown = owner.client().get(approval(exec(raw)));
        assertThat(shown.object()).containsEntry("shown", "echo ⟦U+001B⟧[2K⟦U+000D⟧⟦U+202E⟧ safe");
        assertThat(shown.object().get("call"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("command", raw)
                .containsEntry("cwd", "/root");
    }

    @Test
    void values_of_variables_are_neither_shown_nor_kept_in_the_log() {
        Answer asked = exec(Map.of("command", "env", "env", Map.of("TOKEN", "CANARY-123")));
        String approval = approval(asked);
        assertThat(owner.client().get(approval).text()).contains("TOKEN").doesNotContain("CANARY");
        assertThat(user.client().get(session + "/messages").text()).doesNotContain("CANARY");
    }

    @Test
    void a_hanging_command_is_executing_until_it_ends() throws Exception {
        String approval = approval(exec("hang"));
        decide(owner.client(), approval, "approve");
        var id = awaitStarted();
        assertThat(owner.client().get(approval).object()).containsEntry("state", "executing");
        var row = UUID.fromString(String.valueOf(
                admin.get("/api/agents/main/sandboxes/default").object().get("id")));
        gateway.poll(); // learns nothing of what is carried out here
        assertThat(owner.client().get(approval).object()).containsEntry("state", "executing");
        gateway.docker.finish(row, id, new Exit.Exited(7));
        gateway.settle();
        assertThat(result(owner.client().get(approval))).containsEntry("exit_code", 7);
    }

    private ExecId awaitStarted() {
        while (true)
            synchronized (gateway.docker.started) {
                if (!gateway.docker.started.isEmpty()) return gateway.docker.started.getFirst();
                Thread.onSpinWait();
            }
    }

    private String awaitPending() {
        while (true) {
            var pending = owner.client().get("/api/approvals?state=pending").items();
            if (!pending.isEmpty()) return String.valueOf(pending.getFirst().get("id"));
        }
    }

    private Answer exec(String command) {
        return exec(Map.of("command", command));
    }

    private Answer exec(Map<String, Object> arguments) {
        return user.client().post(session + "/tools/exec", arguments);
    }

    private void remember(Answer asked, String how) throws InterruptedException {
        var decided =
                owner.client().post(approval(asked) + "/decision", Map.of("decision", "approve", "remember", how));
        assertThat(decided.status()).as(decided.text()).isEqualTo(200);
        gateway.settle();
    }

    private static Answer decide(TestClient by, String approval, String decision) {
        return by.post(approval + "/decision", Map.of("decision", decision));
    }

    private static String approval(Answer asked) {
        assertThat(asked.status()).as(asked.text()).isEqualTo(202);
        return asked.header("Location");
    }

    private List<String> events() throws Exception {
        try (var events = TestEvents.open(user.client(), session + "/events")) {
            var names = new ArrayList<String>();
            while (!names.contains("tool_result"))
                names.add(events.next().orElseThrow().name());
            return names;
        }
    }

    private static Map<String, Object> result(Answer answer) {
        if (!(answer.object().get("result") instanceof Map<?, ?> found)) throw new AssertionError(answer.text());
        var result = new HashMap<String, Object>();
        found.forEach((key, value) -> result.put(String.valueOf(key), value));
        return result;
    }
}
