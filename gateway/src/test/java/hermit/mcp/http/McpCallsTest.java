package hermit.mcp.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.exec.ExecId;
import hermit.exec.Exit;
import hermit.exec.FakeProvider;
import hermit.http.TestClient;
import hermit.http.TestEvents;
import java.nio.charset.StandardCharsets;
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
    void long_output_is_shown_head_and_tail_and_what_lies_between_is_read_by_its_id() {
        String printed = FakeProvider.flood(100_000);
        JsonNode cut = call(user, "exec", Map.of("command", "flood 100000")).at("/structuredContent");
        String id = cut.at("/exec_id").asText();
        assertThat(cut.at("/stdout").asText())
                .startsWith(printed.substring(0, 12_000) + "\n[… 84000 characters left out here; ")
                .contains("exec_status with exec_id %s and stdout_offset 12000 reads on".formatted(id))
                .endsWith("…]\n" + printed.substring(96_000));
        assertThat(cut.at("/stdout_truncated").asBoolean()).isFalse();
        JsonNode rest = call(user, "exec_status", Map.of("exec_id", id, "stdout_offset", 12_000))
                .at("/structuredContent");
        assertThat(rest.at("/stdout").asText())
                .startsWith(printed.substring(12_000, 24_000))
                .contains("stdout_offset 24000 reads on");
    }

    @Test
    void what_is_not_kept_is_not_promised() {
        JsonNode answer = call(user, "exec", Map.of("command", "flood 300000"));
        assertThat(answer.at("/structuredContent/stdout_truncated").asBoolean()).isTrue();
        assertThat(answer.at("/content/0/text").asText())
                .contains("[stdout had 37856 bytes more, which are not kept")
                .doesNotContain("goes on");
    }

    @Test
    void whoever_reads_an_approved_part_of_a_file_is_told_that_it_is_a_part() throws Exception {
        call(user, "write_file", Map.of("path", "long", "content", "é".repeat(20_000)));
        admin.put(
                "/api/agents/main/security",
                Map.of(
                        "access",
                        "private",
                        "autonomy_level",
                        "supervised",
                        "require_approval_for",
                        List.of("read_file")));
        var call = CompletableFuture.supplyAsync(
                () -> call(user, "read_file", Map.of("path", "long")).at("/content"));
        approve();
        assertThat(call.get().at("/0/text").asText()).hasSize(16_384);
        assertThat(call.get().at("/1/text").asText())
                .isEqualTo("[The file has 40000 bytes and goes on: read_file with offset 32768 reads on]");
    }

    @Test
    void a_client_is_kept_patient_while_a_command_prints_more_than_is_shown() throws Exception {
        try (var stream = TestEvents.open(streamed(exec(1, "flood 300000; hang"), "token"))) {
            assertThat(awaitProgress(stream, "[more output is not shown live]")).isTrue();
            gateway.time.advance(Duration.ofSeconds(10));
            var exec = gateway.docker.started.getFirst();
            var patient = CompletableFuture.supplyAsync(() -> awaitProgress(stream, "still running"));
            while (!patient.isDone()) gateway.docker.print(sandboxId(), exec, new byte[] {'x'});
            assertThat(patient.get()).isTrue();
        }
    }

    @Test
    void a_call_that_breaks_has_an_end_too() {
        gateway.docker.gate = new CountDownLatch(0) {
            @Override
            public void await() {
                throw new StackOverflowError("from the test");
            }
        };
        JsonNode answer = call(user, "exec", Map.of("command", "echo never"));
        assertThat(answer.at("/isError").asBoolean()).isTrue();
        assertThat(answer.at("/structuredContent/code").asText()).isEqualTo("internal");
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
    void the_operators_secrets_are_told_neither_live_nor_in_the_end() throws Exception {
        String begin = TestClient.TOKEN.substring(0, 20);
        try (var stream = TestEvents.open(streamed(exec(1, "echo key; hang"), "token"))) {
            assertThat(awaitProgress(stream, "key\n")).isTrue();
            ExecId exec = gateway.docker.started.getFirst();
            // In two pieces, of which neither is a secret by itself.
            gateway.docker.print(sandboxId(), exec, ("is " + begin).getBytes(StandardCharsets.UTF_8));
            assertThat(awaitProgress(stream, "is ")).isTrue();
            String rest = TestClient.TOKEN.substring(20) + ", and now hat";
            gateway.docker.print(sandboxId(), exec, rest.getBytes(StandardCharsets.UTF_8));
            assertThat(awaitProgress(stream, "(hidden), and now ")).isTrue();
            gateway.docker.finish(sandboxId(), exec, new Exit.Exited(0));
            // What was held back, since it might have gone on, was none.
            assertThat(awaitProgress(stream, "hat")).isTrue();
            assertThat(last(stream).get("message")).contains("key\\nis (hidden), and now hat");
        }
    }

    @Test
    void no_part_of_a_secret_is_left_where_a_result_is_cut() {
        // The whole is masked before its middle is left out.
        String head = "x".repeat(12_000 - 10);
        var shown = call(user, "exec", Map.of("command", "echo " + head + TestClient.TOKEN + "y".repeat(10_000)))
                .at("/structuredContent/stdout")
                .asText();
        assertThat(shown).contains("characters left out here").doesNotContain(TestClient.TOKEN.substring(0, 8));
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

    @Test
    void an_approved_call_shows_more_than_the_approval_keeps() throws Exception {
        supervised();
        String printed = FakeProvider.flood(20_000);
        var call = CompletableFuture.supplyAsync(() -> post(user, session, exec(1, "flood 20000")));
        approve();
        JsonNode result = json.readTree(call.get().text()).get("result");
        assertThat(result.at("/structuredContent/stdout").asText())
                .startsWith(printed.substring(0, 12_000))
                .endsWith(printed.substring(16_000));
    }

    /// What is asked next.
    private void approve() {
        while (admin.get("/api/approvals?state=pending").items().isEmpty()) Thread.onSpinWait();
        var id = admin.get("/api/approvals?state=pending").items().getFirst().get("id");
        admin.post("/api/approvals/" + id + "/decision", Map.of("decision", "approve"));
    }
}
