package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.cli.FakeGateway.Asked;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// `hermit chat` at a terminal, with its real line editor.
class ChatTest extends CliTest {
    private static final String DECIDE = "POST /api/approvals/p1/decision";
    private static final String CALL =
            "\"call_id\":\"c1\",\"tool\":\"exec\",\"author\":\"user:me\",\"call\":{\"sandbox\":\"default\",\"command\":\"ls -la\"}";
    private static final String RESULT =
            "{\"call_id\":\"c1\",\"tool\":\"exec\",\"author\":\"user:me\",\"state\":\"done\",\"result\":{\"exit_code\":0,\"end_reason\":\"exited\"}}";

    private final FakeTerminal keyboard = new FakeTerminal();
    private final FakeSession session = new FakeSession(gateway);
    private final Screen screen = new Screen();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    ChatTest() {
        terminal = true;
        terminals = () -> keyboard;
        env.put("TERM", "dumb");
    }

    /// What has been printed, and who waits for something to be.
    private static final class Screen extends OutputStream {
        private final ByteArrayOutputStream shown = new ByteArrayOutputStream();

        @Override
        public synchronized void write(int b) {
            shown.write(b);
            notifyAll();
        }

        @Override
        public synchronized void write(byte[] bytes, int offset, int length) {
            shown.write(bytes, offset, length);
            notifyAll();
        }

        synchronized String text() {
            return shown.toString(StandardCharsets.UTF_8).replace("\r", "");
        }

        /// Waits until this stands behind the first `from` characters.
        synchronized Screen awaits(int from, String what) {
            try {
                long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
                while (text().indexOf(what, from) < 0) {
                    long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                    if (left <= 0) throw new AssertionError("no '%s' in <%s>".formatted(what, text()));
                    wait(left);
                }
                return this;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private CompletableFuture<Integer> chat(String... more) {
        var args = new java.util.ArrayList<>(List.of("chat"));
        args.addAll(List.of(more));
        return CompletableFuture.supplyAsync(() -> hermit(screen, err, args.toArray(String[]::new)));
    }

    /// Waits for the prompt behind what is on the screen now.
    private void prompted() {
        screen.awaits(0, "› ");
    }

    private void leaves(CompletableFuture<Integer> chat) throws Exception {
        keyboard.type("/quit\r");
        assertThat(chat.get(20, TimeUnit.SECONDS)).isZero();
        assertThat(keyboard.wasRaw()).isTrue();
        assertThat(keyboard.isRaw()).isFalse();
    }

    private void mayDecide() {
        gateway.on("GET /api/approvals?limit=1000&state=pending", 200, list("{\"id\":\"p1\"}"))
                .on(
                        "GET /api/approvals/p1",
                        200,
                        "{\"id\":\"p1\",\"agent_id\":\"main\",\"tool\":\"exec\",\"state\":\"pending\",\"call\":{\"command\":\"ls \\u202e-la\"}}");
    }

    private FakeSession asks() {
        return session.tell("approval_required", "{\"approval_id\":\"p1\"," + CALL + "}");
    }

    private FakeSession decided(String state) {
        return session.tell(
                "approval_decided",
                "{\"approval_id\":\"p1\",\"call_id\":\"c1\",\"state\":\"%s\",\"author\":\"user:me\"}".formatted(state));
    }

    private List<Asked> asked(String method, String end) {
        return gateway.asked().stream()
                .filter(each -> each.method().equals(method) && each.path().endsWith(end))
                .toList();
    }

    @Test
    void an_answer_is_shown_as_it_comes_and_once() throws Exception {
        session.answering(() -> session.delta(1, "Good mor")
                .delta(1, "ning\u001b[2J")
                .says("Good morning\u001b[2J, Ann")
                .ends("done"));
        var chat = chat();
        prompted();
        keyboard.type("hello it's me!\r");
        screen.awaits(0, "Good morning\\x1b[2J, Ann\n");
        leaves(chat);
        assertThat(asked("POST", "/messages").getFirst().body().path("text").asText())
                .isEqualTo("hello it's me!");
        assertThat(screen.text()).containsOnlyOnce("Good mor").doesNotContain("user:me");
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("hermit chat --agent main --session s1");
    }

    @Test
    void a_call_is_one_line_that_can_be_unfolded() throws Exception {
        session.answering(() -> session.tell("tool_call", "{" + CALL + "}")
                .tell("tool_output", "{" + CALL + ",\"stdout\":\"a\\nb\\u0007\\n\",\"stderr\":\"\"}")
                .tell("tool_result", RESULT)
                .says("Two files")
                .ends("done"));
        var chat = chat();
        prompted();
        keyboard.type("look\r");
        screen.awaits(0, "Two files\n");
        assertThat(screen.text())
                .contains("✓ [1] exec ls -la — exit 0, 2 lines")
                .doesNotContain("b\\x07");
        keyboard.type("/show 1\r");
        screen.awaits(0, "[1] exec ls -la\nexit 0, 2 lines\na\nb\\x07\n".replace(", 2 lines", ""));
        keyboard.type("/show 7\r");
        screen.awaits(0, "There is no such call here");
        leaves(chat);
    }

    @Test
    void what_the_model_began_before_it_was_asked_again_counts_no_more() throws Exception {
        session.answering(() -> session.delta(1, "Goo")
                .tell(
                        "notice",
                        "{\"notice\":\"model_retry\",\"step\":1,\"attempt\":2,\"wait_ms\":1500,\"detail\":\"busy\"}")
                .delta(2, "Hello")
                .says("Hello")
                .ends("done"));
        var chat = chat();
        prompted();
        keyboard.type("x\r");
        screen.awaits(0, "asked again in 2 s: busy");
        screen.awaits(0, "Hello\n");
        leaves(chat);
        assertThat(screen.text()).containsOnlyOnce("Hello").contains("Goo\n");
    }

    @Test
    void an_approval_is_shown_whole_and_answered_in_place() throws Exception {
        mayDecide();
        gateway.on(DECIDE, exchange -> {
            FakeGateway.send(exchange, 200, "application/json", "{}");
            decided("approved").tell("tool_result", RESULT).says("Done").ends("done");
        });
        session.answering(this::asks);
        var chat = chat();
        prompted();
        keyboard.type("x\r");
        screen.awaits(0, "Let it run?");
        assertThat(screen.text()).contains("ls ⟦U+202E⟧-la");
        keyboard.type("what\r");
        screen.awaits(screen.text().indexOf("Let it run?") + 5, "Let it run?");
        keyboard.type("s\r");
        screen.awaits(0, "Done\n");
        leaves(chat);
        assertThat(asked("POST", "/decision")).hasSize(1);
        assertThat(gateway.asked().stream()
                        .filter(each -> each.path().endsWith("/decision"))
                        .findFirst()
                        .orElseThrow()
                        .body()
                        .toString())
                .isEqualTo("{\"decision\":\"approve\",\"remember\":\"session\"}");
    }

    @Test
    void a_denial_has_a_reason() throws Exception {
        mayDecide();
        gateway.on(DECIDE, exchange -> {
            FakeGateway.send(exchange, 200, "application/json", "{}");
            decided("denied").says("As you like").ends("done");
        });
        session.answering(this::asks);
        var chat = chat();
        prompted();
        keyboard.type("x\r");
        screen.awaits(0, "Let it run?");
        keyboard.type("n\r");
        screen.awaits(0, "Why not?");
        keyboard.type("not on a Friday\r");
        screen.awaits(0, "As you like\n");
        leaves(chat);
        assertThat(asked("POST", "/decision").getFirst().body().toString())
                .isEqualTo("{\"decision\":\"deny\",\"reason\":\"not on a Friday\"}");
    }

    @Test
    void what_cannot_be_remembered_is_asked_about_again() throws Exception {
        mayDecide();
        gateway.problem(DECIDE, 400, "invalid", "remember: sh cannot be remembered");
        session.answering(this::asks);
        var chat = chat();
        prompted();
        keyboard.type("x\r");
        screen.awaits(0, "Let it run?");
        keyboard.type("a\r");
        screen.awaits(0, "cannot be remembered");
        int told = screen.text().indexOf("cannot be remembered");
        gateway.on(DECIDE, exchange -> {
            FakeGateway.send(exchange, 200, "application/json", "{}");
            decided("approved").says("Done").ends("done");
        });
        screen.awaits(told, "Let it run?");
        keyboard.type("y\r");
        screen.awaits(0, "Done\n");
        leaves(chat);
    }

    @Test
    void who_may_not_decide_learns_who_can_and_waits() throws Exception {
        gateway.on("GET /api/approvals?limit=1000&state=pending", 200, list());
        session.answering(this::asks);
        var chat = chat();
        prompted();
        keyboard.type("x\r");
        screen.awaits(0, "An owner of agent 'main' or the admin decides: hermit approvals approve p1");
        decided("approved").says("Thanks").ends("done");
        screen.awaits(0, "Thanks\n");
        leaves(chat);
        assertThat(screen.text()).doesNotContain("Let it run?").contains("[1] exec ls -la approved by user:me");
    }

    @Test
    void a_program_and_a_token_that_only_reads_decide_nothing() throws Exception {
        gateway.problem("GET /api/approvals?limit=1000&state=pending", 403, "forbidden", "not for programs");
        asks();
        var chat = chat("--last", "--agent", "main");
        assertThat(chat.get(20, TimeUnit.SECONDS)).isEqualTo(1);
        chat = chat("--session", "s1");
        screen.awaits(0, "/decide");
        keyboard.type("/decide\r");
        screen.awaits(0, "the admin decides");
        leaves(chat);
    }

    @Test
    void ctrl_c_cancels_the_turn_and_twice_at_the_prompt_leaves() throws Exception {
        gateway.on("POST " + FakeSession.PATH + "/s1/cancel", exchange -> {
            FakeGateway.send(exchange, 200, "application/json", "{}");
            session.ends("cancelled");
        });
        session.answering(() -> session.delta(1, "I begin"));
        var chat = chat();
        prompted();
        keyboard.type("x\r");
        screen.awaits(0, "I begin");
        keyboard.type("\003");
        screen.awaits(0, "The turn has ended: cancelled");
        screen.awaits(screen.text().indexOf("cancelled"), "› ");
        keyboard.type("half\003");
        keyboard.type("\003");
        screen.awaits(0, "Ctrl-C once more leaves");
        // Between two prompts there is nothing that it could leave.
        screen.awaits(screen.text().indexOf("once more leaves"), "› ");
        keyboard.type("\003");
        assertThat(chat.get(20, TimeUnit.SECONDS)).isZero();
        assertThat(asked("POST", "/cancel")).hasSize(1);
        assertThat(asked("POST", "/messages")).hasSize(1);
    }

    @Test
    void ctrl_c_at_a_question_cancels_the_turn() throws Exception {
        mayDecide();
        var cancelled = new CountDownLatch(1);
        gateway.on("POST " + FakeSession.PATH + "/s1/cancel", exchange -> {
            FakeGateway.send(exchange, 200, "application/json", "{}");
            decided("cancelled").ends("cancelled");
            cancelled.countDown();
        });
        session.answering(this::asks);
        var chat = chat();
        prompted();
        keyboard.type("x\r");
        screen.awaits(0, "Let it run?");
        keyboard.type("\003");
        screen.awaits(0, "The turn has ended: cancelled");
        leaves(chat);
        assertThat(cancelled.getCount()).isZero();
    }

    @Test
    void ctrl_d_leaves() throws Exception {
        var chat = chat();
        prompted();
        keyboard.type("\004");
        assertThat(chat.get(20, TimeUnit.SECONDS)).isZero();
    }

    @Test
    void a_terminal_that_goes_away_leaves_the_turn_alone() throws Exception {
        session.answering(() -> session.delta(1, "I begin"));
        var chat = chat();
        prompted();
        keyboard.type("x\r");
        screen.awaits(0, "I begin");
        keyboard.hangUp();
        assertThat(chat.get(20, TimeUnit.SECONDS)).isZero();
        assertThat(keyboard.isRaw()).isFalse();
        assertThat(asked("POST", "/cancel")).isEmpty();
    }

    @Test
    void what_others_say_and_what_happened_before_is_shown() throws Exception {
        session.tell("user_message", "{\"author\":\"user:ann\",\"text\":\"long ago\"}")
                .tell("text_delta", "{\"turn_id\":\"t0\",\"step\":1,\"attempt\":1,\"text\":\"long\"}")
                .tell("text_final", "{\"turn_id\":\"t0\",\"step\":1,\"text\":\"long answered\"}")
                .tell("turn_end", "{\"turn_id\":\"t0\",\"reason\":\"done\"}");
        var chat = chat("--session", "s1");
        screen.awaits(0, "user:ann › long ago\n").awaits(0, "long answered\n");
        session.tell("user_message", "{\"author\":\"user:bob\",\"text\":\"hi\\u0007 there\"}")
                .tell("text_delta", "{\"turn_id\":\"t9\",\"step\":1,\"attempt\":1,\"text\":\"Hello \"}")
                .tell("text_delta", "{\"turn_id\":\"t9\",\"step\":1,\"attempt\":1,\"text\":\"Bob\"}")
                .tell("text_final", "{\"turn_id\":\"t9\",\"step\":1,\"text\":\"Hello Bob\"}")
                .tell("error", "{\"code\":\"x\",\"detail\":\"the model is away\"}")
                .tell("turn_end", "{\"turn_id\":\"t9\",\"reason\":\"error\",\"detail\":\"gone\"}");
        screen.awaits(0, "user:bob › hi\\x07 there")
                .awaits(0, "Hello Bob")
                .awaits(0, "! the model is away")
                .awaits(0, "The turn has ended: error: gone");
        leaves(chat);
        assertThat(asked("POST", "/sessions")
                        .getFirst()
                        .body()
                        .path("session_id")
                        .asText())
                .isEqualTo("s1");
        assertThat(screen.text()).containsOnlyOnce("long answered");
    }

    @Test
    void a_connection_that_breaks_goes_on_behind_what_has_come() throws Exception {
        session.answering(() -> session.delta(1, "One "));
        var chat = chat();
        prompted();
        keyboard.type("x\r");
        screen.awaits(0, "One ");
        session.breakOnce();
        screen.awaits(0, "Looking for the gateway again");
        session.delta(1, "two").says("One two").ends("done");
        screen.awaits(0, "two\n");
        leaves(chat);
        assertThat(screen.text()).containsOnlyOnce("One");
        assertThat(session.followedFrom()).containsExactly("0", "2");
    }

    @Test
    void a_gateway_that_stays_away_ends_the_conversation() throws Exception {
        var chat = chat();
        prompted();
        gateway.close();
        assertThat(chat.get(20, TimeUnit.SECONDS)).isEqualTo(3);
        assertThat(keyboard.isRaw()).isFalse();
        assertThat(pauses).hasSize(Reconnects.MOST);
    }

    @Test
    void the_last_session_is_ones_own_in_which_something_happened_last() throws Exception {
        gateway.on(
                "GET " + FakeSession.PATH + "?limit=200",
                200,
                list(
                        "{\"session_id\":\"s3\",\"owner\":\"user:ann\",\"last_active_at\":\"2026-11-03T00:00:00Z\"}",
                        "{\"session_id\":\"s2\",\"owner\":\"user:me\",\"last_active_at\":\"2026-11-01T00:00:00.123Z\"}",
                        "{\"session_id\":\"s1\",\"owner\":\"user:me\",\"last_active_at\":\"2026-11-02T00:00:00Z\"}"));
        gateway.on(
                "GET " + FakeSession.PATH + "?limit=20",
                200,
                list("{\"session_id\":\"s9\",\"state\":\"open\",\"owner\":\"admin\",\"last_active_at\":\"A\"}"));
        var chat = chat("--last");
        prompted();
        assertThat(asked("POST", "/sessions")
                        .getFirst()
                        .body()
                        .path("session_id")
                        .asText())
                .isEqualTo("s1");
        keyboard.type("/sessions\r");
        screen.awaits(0, "s9          open   admin  A");
        keyboard.type("/help\r");
        screen.awaits(0, "/decide      answer");
        keyboard.type("/nonsense\r");
        screen.awaits(0, "There is no /nonsense");
        leaves(chat);
    }

    @Test
    void what_is_refused_is_said_and_the_conversation_goes_on() throws Exception {
        gateway.problem("POST " + FakeSession.PATH + "/s1/messages", 429, "rate_limited", "too many wait");
        var chat = chat();
        prompted();
        keyboard.type("//etc\r");
        screen.awaits(0, "! too many wait");
        gateway.on("POST " + FakeSession.PATH + "/s1/messages", 201, "{\"id\":1,\"data\":{}}");
        keyboard.type("x\r");
        screen.awaits(0, "the agent has no model");
        leaves(chat);
        assertThat(asked("POST", "/messages").getFirst().body().path("text").asText())
                .isEqualTo("/etc");
    }

    @Test
    void what_is_happening_takes_one_row_of_a_narrow_terminal() throws Exception {
        env.put("TERM", "xterm");
        keyboard.resize(40, 24);
        String wide = CALL.replace("ls -la", "echo " + "日".repeat(40));
        session.answering(() -> session.tell("tool_call", "{" + wide + "}")
                .tell("tool_result", RESULT)
                .says("Done")
                .ends("done"));
        var chat = chat();
        prompted();
        keyboard.type("look\r");
        screen.awaits(0, "Done\n");
        var status = Pattern.compile("\033\\[2m… (.*?)\033").matcher(screen.text());
        assertThat(status.find()).isTrue();
        // Without "… "; each 日 takes two columns.
        assertThat(status.group(1).codePoints().map(each -> each == '日' ? 2 : 1).sum())
                .isBetween(30, 37);
        leaves(chat);
    }

    @Test
    void lines_of_which_the_log_holds_the_beginning_are_not_counted_as_all() throws Exception {
        session.answering(() -> session.tell("tool_call", "{" + CALL + "}")
                .tell("tool_output", "{" + CALL + ",\"stdout\":\"a\\nb\\n\",\"stderr\":\"\"}")
                .tell("tool_result", RESULT.replace("\"exit_code\"", "\"shortened\":true,\"exit_code\""))
                .ends("done"));
        var chat = chat();
        prompted();
        keyboard.type("look\r");
        screen.awaits(0, "exit 0, more than 2 lines\n");
        leaves(chat);
    }

    @Test
    void a_gateway_that_does_not_answer_keeps_nobody_who_wants_to_leave() throws Exception {
        var asked = new CountDownLatch(1);
        var never = new CountDownLatch(1);
        gateway.on("POST " + FakeSession.PATH + "/s1/cancel", exchange -> {
            asked.countDown();
            never.await();
        });
        session.answering(() -> session.delta(1, "I begin"));
        var chat = chat();
        prompted();
        keyboard.type("hello\r");
        screen.awaits(0, "I begin");
        keyboard.type("\003");
        asked.await();
        keyboard.type("\003");
        screen.awaits(0, "Ctrl-C once more leaves");
        keyboard.type("\003");
        assertThat(chat.get(20, TimeUnit.SECONDS)).isZero();
        never.countDown();
    }
}
