package hermit.mcp.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.exec.FakeProvider;
import hermit.http.TestEvents;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/// Calls of tools: what they come to, how they are watched, approved and cancelled, and how many there may be.
class McpCallsTest extends McpTest {
    @Test
    void who_accepts_json_only_gets_the_answer_and_nothing_else() throws Exception {
        JsonNode result = call(user, "exec", Map.of("command", "echo hello; exit 2"));
        assertThat(result.at("/structuredContent/stdout").asText()).isEqualTo("hello\n");
        assertThat(result.at("/structuredContent/exit_code").asInt()).isEqualTo(2);
        assertThat(result.at("/isError").asBoolean()).isFalse();
    }

    @Test
    void what_is_done_is_in_the_sessions_log_and_in_the_audit() {
        call(user, "exec", Map.of("command", "echo hello"));
        var audit = admin.get("/api/audit?action=mcp&limit=1").items().getFirst();
        assertThat(audit).containsEntry("action", "mcp.call").containsEntry("who", "user:" + user.id());
        assertThat(String.valueOf(audit.get("details")))
                .contains("method=tools/call", "tool=exec", "session=" + session);
        assertThat(admin.get("/api/audit?action=execs.start").items()).hasSize(1);
    }

    @Test
    void cancelling_one_call_leaves_the_others() throws Exception {
        var first = CompletableFuture.supplyAsync(() -> post(user, session, exec(1, "hang")));
        var second = CompletableFuture.supplyAsync(() -> post(user, session, exec(2, "hang")));
        awaitStarted(2);
        cancel(1);
        assertThat(json.readTree(first.get().text()).at("/error/message").asText())
                .isEqualTo("Cancelled");
        var execs = admin.get("/api/agents/main/sandboxes/default/execs").items();
        assertThat(execs.stream().filter(each -> "running".equals(each.get("state"))))
                .hasSizeLessThanOrEqualTo(2);
        assertThat(second.isDone()).isFalse();
        cancel(2);
        second.get();
    }

    @Test
    void a_call_that_is_cancelled_while_its_machine_comes_up_never_begins() throws Exception {
        gateway.docker.gate = new CountDownLatch(1);
        var call = CompletableFuture.supplyAsync(() -> post(user, session, exec(1, "echo never")));
        while (gateway.docker.ensures.get() == 0) Thread.onSpinWait();
        cancel(1);
        call.get();
        gateway.docker.gate.countDown();
        while (gateway.docker.state(sandboxId()).isEmpty()) Thread.onSpinWait();
        assertThat(call(user, "list_files", Map.of("path", "/root"))
                        .at("/isError")
                        .asBoolean())
                .isFalse();
        assertThat(admin.get("/api/agents/main/sandboxes/default/execs").items())
                .isEmpty();
    }

    @Test
    void a_call_of_which_the_client_hears_no_more_goes_on() throws Exception {
        try (var stream = TestEvents.open(streamed(exec(1, "echo live; hang"), "token"))) {
            assertThat(awaitProgress(stream, "live\n")).isTrue();
        }
        var execs = admin.get("/api/agents/main/sandboxes/default/execs").items();
        assertThat(execs).singleElement().satisfies(each -> assertThat(each).containsEntry("state", "running"));
    }

    @Test
    void an_approval_that_nobody_decides_expires() throws Exception {
        supervised();
        var call = CompletableFuture.supplyAsync(() -> post(user, session, exec(1, "echo never")));
        while (admin.get("/api/approvals?state=pending").items().isEmpty()) Thread.onSpinWait();
        gateway.time.advance(Duration.ofMinutes(11));
        gateway.poll();
        JsonNode result = json.readTree(call.get().text()).get("result");
        assertThat(result.at("/isError").asBoolean()).isTrue();
        assertThat(result.at("/structuredContent/code").asText()).isEqualTo("expired");
        assertThat(gateway.docker.started).isEmpty();
    }

    @Test
    void a_call_that_is_cancelled_takes_back_its_own_approval_and_no_other() throws Exception {
        supervised();
        var first = CompletableFuture.supplyAsync(() -> post(user, session, exec(1, "echo first")));
        var second = CompletableFuture.supplyAsync(() -> post(user, session, exec(2, "echo second")));
        while (admin.get("/api/approvals?state=pending").items().size() < 2) Thread.onSpinWait();
        cancel(1);
        first.get();
        var cancelled = admin.get("/api/approvals?state=cancelled").items();
        assertThat(cancelled)
                .singleElement()
                .satisfies(each -> assertThat(String.valueOf(each)).contains("echo first", "the call was cancelled"));
        assertThat(second.isDone()).isFalse();
        cancel(2);
        second.get();
    }

    /// What is asked next.
    private void approve() {
        while (admin.get("/api/approvals?state=pending").items().isEmpty()) Thread.onSpinWait();
        var id = admin.get("/api/approvals?state=pending").items().getFirst().get("id");
        admin.post("/api/approvals/" + id + "/decision", Map.of("decision", "approve"));
    }
}
