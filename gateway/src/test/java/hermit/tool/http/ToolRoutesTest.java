package hermit.tool.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.People;
import hermit.TestGateway;
import hermit.http.TestClient;
import hermit.http.TestClient.Answer;
import hermit.http.TestEvents;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class ToolRoutesTest {
    private static final String SESSIONS = "/api/agents/main/sessions";

    private final TestGateway gateway = new TestGateway();
    private final TestClient admin = gateway.client;
    private final People people = new People(gateway);

    @BeforeEach
    void an_agent_that_never_asks() {
        admin.post("/api/agents", Map.of("id", "main"));
        policy("full", false);
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void a_command_answers_with_its_result_and_leaves_its_trace_in_the_session() throws Exception {
        var program = people.program("main").client();
        String session = program.post(SESSIONS, Map.of()).header("Location");
        Answer answer = call(program, session, "exec", Map.of("command", "echo out; err oops; exit 3"));
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.object()).containsEntry("state", "done").containsEntry("tool", "exec");
        assertThat(result(answer))
                .containsEntry("stdout", "out\n")
                .containsEntry("stderr", "oops\n")
                .containsEntry("exit_code", 3)
                .containsEntry("end_reason", "exited");
        try (var events = TestEvents.open(program, session + "/events")) {
            for (String expected : List.of("tool_call", "tool_output", "tool_result")) {
                var event = events.next().orElseThrow();
                assertThat(event.name()).isEqualTo(expected);
                assertThat(event.data())
                        .contains("\"author\":\"agent:")
                        .contains(String.valueOf(answer.object().get("call_id")));
            }
        }
    }

    @Test
    void a_background_command_is_asked_about_and_cancelled_in_its_own_session_only() {
        var user = people.member("main", "user").client();
        String session = user.post(SESSIONS, Map.of()).header("Location");
        String other = user.post(SESSIONS, Map.of()).header("Location");
        Answer started = call(user, session, "exec_background", Map.of("command", "hang"));
        assertThat(result(started)).containsEntry("state", "running");
        var exec = Map.<String, Object>of("exec_id", result(started).get("exec_id"));
        assertThat(result(call(user, session, "exec_status", exec))).containsEntry("state", "running");
        for (String tool : List.of("exec_status", "exec_cancel"))
            assertThat(call(user, other, tool, exec).status()).isEqualTo(404);
        String direct = String.valueOf(
                admin.post("/api/agents/main/sandboxes/default/execs", Map.of("command", "hang", "background", true))
                        .object()
                        .get("exec_id"));
        assertThat(call(user, session, "exec_status", Map.of("exec_id", direct)).status())
                .isEqualTo(404);
        assertThat(call(user, session, "exec_cancel", exec).status()).isEqualTo(200);
        var waiting = new HashMap<>(exec);
        waiting.put("wait_ms", 60_000);
        assertThat(result(call(user, session, "exec_status", waiting))).containsEntry("end_reason", "cancelled");
    }

    @Test
    void files_are_written_read_edited_and_listed() {
        var user = people.member("main", "user").client();
        String session = user.post(SESSIONS, Map.of()).header("Location");
        assertThat(result(call(user, session, "write_file", Map.of("path", "a.txt", "content", "one two two"))))
                .containsEntry("created", true)
                .containsEntry("size", 11);
        assertThat(result(call(user, session, "read_file", Map.of("path", "a.txt"))))
                .containsEntry("content", "one two two")
                .containsEntry("truncated", false);
        assertThat(result(call(user, session, "read_file", Map.of("path", "a.txt", "offset", 4, "length", 3))))
                .containsEntry("content", "two")
                .containsEntry("truncated", true);
        assertThat(result(call(user, session, "read_file", Map.of("path", "a.txt", "length", 3))))
                .containsEntry("content", "one")
                .containsEntry("truncated", true);

        var edit = new HashMap<String, Object>(Map.of("path", "a.txt", "old_text", "two", "new_text", "2"));
        assertThat(call(user, session, "edit_file", edit).status()).isEqualTo(409);
        edit.put("replace_all", true);
        assertThat(call(user, session, "edit_file", edit).status()).isEqualTo(200);
        assertThat(result(call(user, session, "read_file", Map.of("path", "a.txt"))))
                .containsEntry("content", "one 2 2");
        assertThat(call(user, session, "edit_file", edit).code()).isEqualTo("conflict");

        String bytes = Base64.getEncoder().encodeToString(new byte[] {0, (byte) 0xff, 10});
        call(user, session, "write_file", Map.of("path", "b.bin", "content", bytes, "encoding", "base64"));
        assertThat(result(call(user, session, "read_file", Map.of("path", "b.bin", "encoding", "base64"))))
                .containsEntry("content", bytes);
        assertThat(call(user, session, "edit_file", Map.of("path", "b.bin", "old_text", "x", "new_text", "y"))
                        .paths())
                .containsExactly("path");
        assertThat(String.valueOf(result(call(user, session, "list_files", Map.of("path", "/root")))
                        .get("items")))
                .contains("a.txt")
                .contains("b.bin");
        assertThat(call(user, session, "read_file", Map.of("path", "none")).status())
                .isEqualTo(404);
    }

    @ParameterizedTest
    @CsvSource({
        "guest,full,403",
        "user,full,200",
        "owner,full,200",
        "guest,readonly,403",
        "owner,readonly,403",
        "user,supervised,202",
        "owner,supervised,202",
        "guest,supervised,403"
    })
    void role_and_autonomy_decide_about_a_command(String role, String level, int status) {
        policy(level, false);
        var member = people.member("main", role).client();
        String session = member.post(SESSIONS, Map.of()).header("Location");
        for (String tool : List.of("exec", "exec_background"))
            assertThat(call(member, session, tool, Map.of("command", "echo x")).status())
                    .as(tool)
                    .isEqualTo(status);
        assertThat(call(member, session, "list_files", Map.of("path", "/root")).status())
                .isEqualTo(200);
    }

    @Test
    void guests_may_run_where_the_owner_says_so() {
        policy("full", true);
        var guest = people.member("main", "guest").client();
        String session = guest.post(SESSIONS, Map.of()).header("Location");
        assertThat(call(guest, session, "exec", Map.of("command", "echo x")).status())
                .isEqualTo(200);
    }

    @Test
    void whether_a_client_says_that_nobody_is_there_makes_no_difference() {
        policy("supervised", false);
        var user = people.member("main", "user").client();
        String session = user.post(SESSIONS, Map.of("source", Map.of("interactive", false)))
                .header("Location");
        assertThat(call(user, session, "exec", Map.of("command", "id")).status())
                .isEqualTo(202);
        assertThat(call(user, session, "exec", Map.of("command", "id", "role", "owner"))
                        .paths())
                .containsExactly("role");
    }

    @Test
    void each_call_in_a_session_has_its_own_author() throws Exception {
        var user = people.member("main", "user");
        String session = user.client().post(SESSIONS, Map.of()).header("Location");
        call(admin, session, "exec", Map.of("command", "echo a"));
        call(user.client(), session, "exec", Map.of("command", "echo u"));
        try (var events = TestEvents.open(admin, session + "/events")) {
            for (int i = 0; i < 3; i++)
                assertThat(events.next().orElseThrow().data()).contains("\"author\":\"admin\"");
            for (int i = 0; i < 3; i++)
                assertThat(events.next().orElseThrow().data()).contains("\"author\":\"user:" + user.id());
        }
    }

    @Test
    void a_call_that_cannot_be_carried_out_says_why_also_in_the_log() throws Exception {
        admin.delete("/api/agents/main/sandboxes/default");
        String session = admin.post(SESSIONS, Map.of()).header("Location");
        assertThat(call(admin, session, "exec", Map.of("command", "id")).code()).isEqualTo("no_sandbox");
        admin.post("/api/agents/main/sandboxes", Map.of("type", "docker", "alias", "second"));
        assertThat(call(admin, session, "exec", Map.of("command", "id")).status())
                .isEqualTo(404);
        var second = Map.<String, Object>of("command", "id", "sandbox", "second", "cwd", "/missing");
        assertThat(call(admin, session, "exec", second).code()).isEqualTo("cwd_not_found");
        try (var events = TestEvents.open(admin, session + "/events")) {
            assertThat(events.next().orElseThrow().name()).isEqualTo("tool_call");
            assertThat(events.next().orElseThrow().data())
                    .contains("\"failed\"")
                    .contains("cwd_not_found");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"background", "stdin_open", "cancel_on_disconnect", "idempotency_key", "colour"})
    void what_a_tool_does_not_take_is_a_mistake(String field) {
        String session = admin.post(SESSIONS, Map.of()).header("Location");
        assertThat(call(admin, session, "exec", Map.of("command", "id", field, true))
                        .paths())
                .containsExactly(field);
    }

    @Test
    void an_unknown_tool_or_session_is_not_found_and_an_ended_one_is_a_conflict() {
        String session = admin.post(SESSIONS, Map.of()).header("Location");
        assertThat(call(admin, session, "terminal", Map.of()).status()).isEqualTo(404);
        assertThat(call(admin, SESSIONS + "/" + UUID.randomUUID(), "exec", Map.of("command", "id"))
                        .status())
                .isEqualTo(404);
        admin.post(session + "/end", Map.of());
        assertThat(call(admin, session, "exec", Map.of("command", "id")).status())
                .isEqualTo(409);
        assertThat(gateway.docker.started).isEmpty();
    }

    @Test
    void the_operators_secrets_leave_in_no_result_however_they_are_encoded() throws Exception {
        var user = people.member("main", "user").client();
        String session = user.post(SESSIONS, Map.of()).header("Location");
        String print = "echo a %1$s b; err %1$s".formatted(TestClient.TOKEN);
        var text = result(call(user, session, "exec", Map.of("command", print)));
        assertThat(text).containsEntry("stdout", "a (hidden) b\n").containsEntry("stderr", "(hidden)\n");
        var status = result(call(user, session, "exec_status", Map.of("exec_id", text.get("exec_id"))));
        assertThat(status).containsEntry("stdout", "a (hidden) b\n");
        var bytes = result(call(user, session, "exec", Map.of("command", print, "encoding", "base64")));
        assertThat(Base64.getDecoder().decode(String.valueOf(bytes.get("stdout"))))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("a (hidden) b\n");
        call(user, session, "write_file", Map.of("path", "a.txt", "content", "x" + TestClient.TOKEN + "y"));
        assertThat(result(call(user, session, "read_file", Map.of("path", "a.txt"))))
                .containsEntry("content", "x(hidden)y");

        policy("supervised", false);
        var asked = call(user, session, "exec", Map.of("command", print)).header("Location");
        admin.post(asked + "/decision", Map.of("decision", "approve"));
        gateway.poll();
        gateway.settle();
        var approval = user.get(asked);
        assertThat(approval.object()).containsEntry("state", "done");
        assertThat(String.valueOf(approval.object().get("result")))
                .contains("a (hidden) b")
                .doesNotContain(TestClient.TOKEN);
    }

    private void policy(String level, boolean guestsMayRun) {
        var stored = admin.put(
                "/api/agents/main/security",
                Map.of(
                        "access",
                        "private",
                        "autonomy_level",
                        level,
                        "require_approval_for",
                        List.of("exec"),
                        "guests_may_run",
                        guestsMayRun));
        assertThat(stored.status()).as(stored.text()).isEqualTo(200);
    }

    private static Answer call(TestClient by, String session, String tool, Map<String, Object> arguments) {
        return by.post(session + "/tools/" + tool, arguments);
    }

    private static Map<String, Object> result(Answer answer) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        if (!(answer.object().get("result") instanceof Map<?, ?> found)) throw new AssertionError(answer.text());
        var result = new HashMap<String, Object>();
        found.forEach((key, value) -> result.put(String.valueOf(key), value));
        return result;
    }
}
