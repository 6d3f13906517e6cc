package hermit.cli;

import static hermit.cli.FakeGateway.event;
import static org.assertj.core.api.Assertions.assertThat;

import hermit.api.JsonTree;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// `hermit approvals`.
class ApprovalsTest extends CliTest {
    private static final String DECIDE = "POST /api/approvals/p1/decision";
    private static final String WATCH = "GET /api/approvals/events";

    private static String approval(String id, String state, String agent, String call) {
        return """
                {"id":"%s","agent_id":"%s","session_id":"s1","tool":"exec","requester":"user:u1","sandbox_id":"b1","sandbox_generation":3,
                "call":%s,"shown":"cut","state":"%s","created_at":"C1","expires_at":"E1","decided_by":null,"reason":null,"result":null}
                """.formatted(id, agent, call, state).replace("\n", "");
    }

    private static String command(String text) {
        return "{\"sandbox\":\"default\",\"command\":%s,\"cwd\":\"/root\",\"env_names\":[\"LANG\",\"TO\\u0007KEN\"],\"env_sha256\":\"e1\",\"timeout_ms\":5000}"
                .formatted(JsonTree.write(JsonTree.text(text)));
    }

    private static String told(String approval) {
        return event("approval", approval);
    }

    @Test
    void the_inbox_is_over_all_agents_and_shows_what_waits_and_all_of_it() {
        env.put("HERMIT_AGENT", "ada");
        var longCommand = "echo " + "x".repeat(4_000) + "\nrm -rf \u202e/\u200b\u2066 \u3164⟦";
        gateway.on(
                "GET /api/approvals?limit=1000&state=pending",
                200,
                list(
                        approval("p2", "pending", "main", command(longCommand)),
                        approval(
                                "p1",
                                "pending",
                                "bob",
                                "{\"argv\":[\"ls\",\"two words\",\"it's\"],\"env_names\":[]}")));
        var ended = hermit("approvals", "list");
        assertThat(ended.out())
                .contains("x".repeat(4_000) + "⟦U+000A⟧rm -rf ⟦U+202E⟧/⟦U+200B⟧⟦U+2066⟧ ⟦U+3164⟧⟦U+27E6⟧\n")
                .contains("LANG, TO⟦U+0007⟧KEN")
                .contains("—                    ls 'two words' 'it'\\''s'\n")
                .hasLineCount(3);
    }

    @Test
    void the_list_is_narrowed_and_widened() {
        gateway.on("GET /api/approvals?limit=1000", 200, list())
                .on("GET /api/approvals?limit=1000&state=denied", 200, list())
                .on("GET /api/agents/ada/approvals?limit=5&state=pending", 200, list());
        assertThat(hermit("approvals", "list", "--all").code()).isZero();
        assertThat(hermit("approvals", "list", "--state", "denied").code()).isZero();
        assertThat(hermit("approvals", "list", "--agent", "ada", "--limit", "5").code())
                .isZero();
        assertThat(hermit("approvals", "list", "--all", "--state", "denied").code())
                .isEqualTo(2);
    }

    @Test
    void one_is_shown_with_everything_that_decides_what_runs() {
        gateway.on("GET /api/approvals/p1", 200, approval("p1", "pending", "main", command("a\u202eb")));
        assertThat(hermit("approvals", "show", "p1").out()).isEqualTo("""
                approval    p1
                state       pending
                agent       main
                requester   user:u1
                session     s1
                tool        exec
                command     a⟦U+202E⟧b
                variables   LANG, TO⟦U+0007⟧KEN
                cwd         /root
                env_sha256  e1
                timeout_ms  5000
                sandbox     default (b1, generation 3)
                created_at  C1
                expires_at  E1
                """);
    }

    @Test
    void a_file_that_is_written_is_shown_too() {
        gateway.on(
                "GET /api/approvals/p1",
                200,
                approval(
                        "p1",
                        "pending",
                        "main",
                        "{\"sandbox\":\"default\",\"path\":\"/etc/x\",\"old_text\":\"a\\nb\",\"new_text\":\"\"}"));
        assertThat(hermit("approvals", "show", "p1").out())
                .contains("path        /etc/x\n")
                .contains("old_text    a⟦U+000A⟧b\n")
                .doesNotContain("command");
    }

    @Test
    void approving_sends_what_is_remembered_and_why() {
        gateway.on(DECIDE, 200, approval("p1", "approved", "main", command("date")));
        assertThat(hermit("approvals", "approve", "p1").out())
                .contains("state       approved\n")
                .contains("command     date\n");
        assertThat(gateway.last().body().toString()).isEqualTo("{\"decision\":\"approve\"}");
        hermit("approvals", "approve", "p1", "--remember", "session", "--reason", "looked at it");
        assertThat(gateway.last().body().toString())
                .isEqualTo("{\"decision\":\"approve\",\"remember\":\"session\",\"reason\":\"looked at it\"}");
    }

    @Test
    void denying_says_why_and_remembers_nothing() {
        gateway.on(DECIDE, 200, approval("p1", "denied", "main", command("date")));
        hermit("approvals", "deny", "p1", "--reason", "not now");
        assertThat(gateway.last().body().toString()).isEqualTo("{\"decision\":\"deny\",\"reason\":\"not now\"}");
        assertThat(hermit("approvals", "deny", "p1", "--remember", "always").code())
                .isEqualTo(2);
        assertThat(hermit("approvals", "deny").code()).isEqualTo(2);
    }

    @Test
    void whoever_comes_second_is_told() {
        gateway.problem(DECIDE, 409, "already_decided", "This approval is already denied");
        var ended = hermit("approvals", "approve", "p1", "--json");
        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.json().path("code").asText()).isEqualTo("already_decided");
        assertThat(gateway.asked()).hasSize(1);
    }

    @Test
    void rules_are_listed_and_revoked() {
        gateway.on(
                        "GET /api/approval-rules?limit=1000",
                        200,
                        list(
                                "{\"id\":\"r1\",\"agent_id\":\"main\",\"requester\":\"user:u1\",\"session_id\":null,\"uses\":2,\"last_used_at\":\"L\",\"expires_at\":\"E\",\"call\":{\"command\":\"date\\u200b\",\"env_names\":[\"TZ\"]}}",
                                "{\"id\":\"r2\",\"agent_id\":\"main\",\"requester\":\"admin\",\"session_id\":\"s1\",\"uses\":0,\"last_used_at\":null,\"expires_at\":\"E\",\"call\":{\"argv\":[\"ls\"]}}"))
                .on("DELETE /api/approval-rules/r1", 204, "");
        assertThat(hermit("approvals", "rules", "list").out()).isEqualTo("""
                RULE ID  AGENT  REQUESTER  SESSION  USES  LAST USED  EXPIRES  VARIABLES  WHAT
                r1       main   user:u1    all      2     L          E        TZ         date⟦U+200B⟧
                r2       main   admin      s1       0     —          E        —          ls
                """);
        assertThat(hermit("approvals", "rules", "revoke", "r1").out()).isEqualTo("Revoked rule r1\n");
        assertThat(hermit("approvals", "rules", "revoke", "r2").code()).isEqualTo(1);
    }

    /// Ends with the refusal that ends a watch.
    private void watched(String... connections) {
        var count = new AtomicInteger();
        gateway.on(WATCH, exchange -> {
            int now = count.getAndIncrement();
            var body = now < connections.length
                    ? connections[now]
                    : event("error", "{\"status\":403,\"code\":\"forbidden\",\"detail\":\"no longer\"}");
            FakeGateway.send(exchange, 200, "text/event-stream", body);
        });
    }

    @Test
    void watch_shows_what_to_decide_and_each_change() {
        var denied = approval("p1", "denied", "main", command("date"))
                .replace("\"decided_by\":null,\"reason\":null", "\"decided_by\":\"user:u2\",\"reason\":\"no\\u202e\"");
        watched(told(approval("p1", "pending", "main", command("date"))) + told(denied));
        var ended = hermit("approvals", "watch");
        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.out())
                .startsWith("approval    p1\n")
                .contains("command     date\n")
                .contains("→ hermit approvals approve p1\n→ hermit approvals deny p1\n")
                .endsWith("p1  denied by user:u2: no⟦U+202E⟧\n\n");
        assertThat(ended.err()).endsWith("hermit: no longer\n");
    }

    @Test
    void watch_names_who_decided_once() {
        var by = "\"decided_by\":\"user:u2\",\"reason\":\"fine\"";
        var connection = new StringBuilder();
        for (String state : new String[] {"pending", "approved", "executing", "done"})
            connection.append(told(approval("p1", state, "main", command("date"))
                    .replace("\"decided_by\":null,\"reason\":null", state.equals("pending") ? "\"reason\":null" : by)));
        watched(connection.toString());
        assertThat(hermit("approvals", "watch").out())
                .endsWith("p1  approved by user:u2: fine\n\np1  executing\n\np1  done\n\n");
    }

    @Test
    void watch_goes_on_behind_what_came_and_tells_nothing_twice() throws Exception {
        var first = approval("p1", "pending", "main", command("date"));
        watched(
                told(first) + event("17", "approval", approval("p2", "pending", "main", command("ls"))),
                told(first) + event("18", "approval", approval("p1", "approved", "main", command("date"))));
        var ended = hermit("approvals", "watch", "--json");
        var lines = ended.out().lines().toList();
        assertThat(lines).hasSize(4);
        assertThat(JsonTree.parse(lines.get(0)).path("id").asText()).isEqualTo("p1");
        assertThat(JsonTree.parse(lines.get(1)).path("id").asText()).isEqualTo("p2");
        assertThat(JsonTree.parse(lines.get(2)).path("state").asText()).isEqualTo("approved");
        assertThat(JsonTree.parse(lines.get(3)).path("code").asText()).isEqualTo("forbidden");
        assertThat(gateway.asked().get(0).headers()).doesNotContainKey("Last-event-id");
        assertThat(gateway.asked().get(1).headers()).containsEntry("Last-event-id", "17");
        assertThat(gateway.asked().get(2).headers()).containsEntry("Last-event-id", "18");
    }

    @Test
    void watch_of_one_agent_leaves_the_others_out_and_unknown_events_too() {
        watched(told(approval("p1", "pending", "bob", command("date")))
                + event("later", "{}")
                + told(approval("p2", "pending", "ada", command("date"))));
        var ended = hermit("approvals", "watch", "--agent", "ada", "--json");
        assertThat(ended.out().lines().toList()).hasSize(2).first().asString().contains("\"p2\"");
    }

    @Test
    void watch_gives_a_gateway_up_that_stays_away() {
        gateway.on(WATCH, exchange -> FakeGateway.send(exchange, 200, "text/event-stream", ""));
        var ended = hermit("approvals", "watch");
        assertThat(ended.code()).isEqualTo(3);
        assertThat(pauses).hasSize(Reconnects.MOST);
        assertThat(ended.err()).containsOnlyOnce("Looking for the gateway again");
    }

    @Test
    void watch_of_a_gateway_that_was_never_there_does_not_wait_for_it() {
        gateway.close();
        assertThat(hermit("approvals", "watch").code()).isEqualTo(3);
        assertThat(pauses).isEmpty();
    }
}
