package hermit.cli;

import static hermit.cli.FakeGateway.event;
import static hermit.cli.FakeGateway.output;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SandboxExecTest extends CliTest {
    private static final String EXECS = "/api/agents/main/sandboxes/default/execs";
    private static final String START = event("0:0", "start", "{\"exec_id\":\"x1\"}");
    private static final String REST = "GET " + EXECS + "/x1/events?encoding=base64";
    private static final String DONE = end("\"end_reason\":\"exited\",\"exit_code\":0");

    private static String end(String fields) {
        return event("end", "{\"exec_id\":\"x1\",\"state\":\"ended\"," + fields + "}");
    }

    private void answers(String... events) {
        gateway.events("POST " + EXECS, events);
    }

    private JsonNode sent() {
        return gateway.last().body();
    }

    @Test
    void the_exit_code_of_the_command_is_ours() {
        answers(START, end("\"end_reason\":\"exited\",\"exit_code\":42"));
        assertThat(hermit("sandbox", "exec", "--", "sh", "-c", "exit 42").code())
                .isEqualTo(42);
    }

    @Test
    void output_is_passed_on_byte_by_byte_and_each_stream_to_its_own() {
        byte[] bytes = {0, (byte) 0xff, (byte) 0xe2, 10, 27};
        answers(
                START,
                output("stdout", 0, bytes),
                ": alive\n\n",
                output("stderr", 0, "oops\n".getBytes(UTF_8)),
                output("stdout", 5, "end".getBytes(UTF_8)),
                end("\"end_reason\":\"exited\",\"exit_code\":0"));
        var ended = hermit("sandbox", "exec", "--", "true");
        assertThat(ended.stdout().toByteArray()).containsExactly(0, 0xff, 0xe2, 10, 27, 'e', 'n', 'd');
        assertThat(ended.err()).isEqualTo("oops\n");
        assertThat(sent().path("encoding").asText()).isEqualTo("base64");
        assertThat(gateway.last().headers()).containsEntry("Accept", "text/event-stream");
    }

    @Test
    void several_words_keep_their_borders() {
        answers(START, end("\"end_reason\":\"exited\",\"exit_code\":0"));
        hermit("sandbox", "exec", "--", "printf", "%s|", "", " a  b ", "$HOME", "@file", "--json", "--", "-x", "'\"");
        assertThat(sent().path("argv"))
                .extracting(JsonNode::asText)
                .containsExactly("printf", "%s|", "", " a  b ", "$HOME", "@file", "--json", "--", "-x", "'\"");
        assertThat(sent().has("command")).isFalse();
    }

    @Test
    void options_after_the_first_word_belong_to_the_command() {
        answers(START, end("\"end_reason\":\"exited\",\"exit_code\":0"));
        hermit("sandbox", "exec", "ls", "-la", "--json", "--agent", "x");
        assertThat(sent().path("argv"))
                .extracting(JsonNode::asText)
                .containsExactly("ls", "-la", "--json", "--agent", "x");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ls | wc -l", "echo $HOME", "a;b", "true&", "cat <x", "(id)", "ls *", "X=1", "a\nb"})
    void a_single_word_with_shell_signs_is_shell_text(String text) {
        answers(START, end("\"end_reason\":\"exited\",\"exit_code\":0"));
        hermit("sandbox", "exec", "--", text);
        assertThat(sent().path("command").asText()).isEqualTo(text);
        assertThat(sent().has("argv")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ls", "/usr/bin/python3.11", "g++", "my-tool_2", "größe"})
    void a_single_plain_word_is_a_program(String word) {
        answers(START, end("\"end_reason\":\"exited\",\"exit_code\":0"));
        hermit("sandbox", "exec", "--", word);
        assertThat(sent().path("argv")).extracting(JsonNode::asText).containsExactly(word);
    }

    @Test
    void every_option_reaches_the_gateway() {
        gateway.events(
                "POST /api/agents/a1/sandboxes/gpu/execs", START, end("\"end_reason\":\"exited\",\"exit_code\":0"));
        var ended = hermit(
                "sandbox",
                "exec",
                "--agent",
                "a1",
                "--alias",
                "gpu",
                "--cwd",
                "/srv",
                "-e",
                "A=1",
                "--env",
                "B=x=y",
                "--env",
                "C=",
                "--timeout",
                "30s",
                "--login",
                "-c",
                "echo hi");
        assertThat(ended.code()).isZero();
        var body = (ObjectNode) sent();
        assertThat(body.remove("idempotency_key").asText()).startsWith("cli-");
        assertThat(body.toString())
                .isEqualTo(
                        "{\"command\":\"echo hi\",\"cwd\":\"/srv\",\"env\":{\"A\":\"1\",\"B\":\"x=y\",\"C\":\"\"},\"timeout_ms\":30000,\"login\":true,\"encoding\":\"base64\"}");
    }

    @Test
    void without_being_asked_stdin_is_not_touched() {
        answers(START, DONE);
        stdin = new byte[] {1};
        hermit("sandbox", "exec", "--", "cat");
        assertThat(sent().has("stdin")).isFalse();
        assertThat(sent().has("stdin_open")).isFalse();
        assertThat(gateway.asked()).hasSize(1);
    }

    /// What the gateway was given for the command's stdin, and whether it was told the end.
    private byte[] input() {
        var bytes = new ByteArrayOutputStream();
        for (var asked : gateway.asked())
            if (asked.path().endsWith("/stdin"))
                bytes.writeBytes(
                        Base64.getDecoder().decode(asked.body().path("data").asText()));
        assertThat(gateway.last().body().path("close").asBoolean()).isTrue();
        return bytes.toByteArray();
    }

    /// Runs `exec` on a gateway whose command ends when its input does.
    private Ended execWithInput() {
        var closed = new CountDownLatch(1);
        gateway.on("POST " + EXECS, exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(START.getBytes(UTF_8));
            exchange.getResponseBody().flush();
            closed.await();
            exchange.getResponseBody().write(DONE.getBytes(UTF_8));
        });
        gateway.on("POST " + EXECS + "/x1/stdin", exchange -> {
            exchange.sendResponseHeaders(204, -1);
            if (gateway.last().body().path("close").asBoolean()) closed.countDown();
        });
        return hermit("sandbox", "exec", "-i", "--", "cat");
    }

    @Test
    void stdin_is_passed_on_in_pieces_up_to_its_end() {
        stdin = new byte[3 * StdinPump.PIECE + 17];
        new Random(1).nextBytes(stdin);
        assertThat(execWithInput().code()).isZero();
        assertThat(gateway.asked().getFirst().body().path("stdin_open").asBoolean())
                .isTrue();
        assertThat(input()).isEqualTo(stdin);
        assertThat(gateway.asked()).hasSize(1 + 4 + 1);
    }

    @Test
    void an_empty_stdin_is_closed_at_once() {
        assertThat(execWithInput().code()).isZero();
        assertThat(input()).isEmpty();
    }

    @Test
    void the_next_piece_is_read_only_when_the_command_has_taken_the_last_one() throws Exception {
        var refused = new CountDownLatch(1);
        var taken = new AtomicInteger();
        gateway.on("POST " + EXECS, exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(START.getBytes(UTF_8));
            exchange.getResponseBody().flush();
            refused.await();
            exchange.getResponseBody().write(DONE.getBytes(UTF_8));
        });
        gateway.on("POST " + EXECS + "/x1/stdin", exchange -> {
            taken.addAndGet(gateway.last().body().path("data").asText().length() * 3 / 4);
            // As the gateway answers when nobody reads: the command is none the worse for it.
            FakeGateway.send(exchange, 409, "application/problem+json", "{\"status\":409,\"code\":\"conflict\"}");
            refused.countDown();
        });
        var endless = new EndlessInput();
        var err = new ByteArrayOutputStream();
        var surroundings = surroundings(endless, OutputStream.nullOutputStream(), err);
        assertThat(new Cli(surroundings).run("sandbox", "exec", "-i", "--", "head", "-c1"))
                .isZero();
        assertThat(err.toString(UTF_8)).isEmpty();
        assertThat(taken.get()).isBetween(1, StdinPump.PIECE + 2);
        assertThat(endless.read.get()).isLessThanOrEqualTo(StdinPump.PIECE);
    }

    private static final class EndlessInput extends InputStream {
        private final AtomicInteger read = new AtomicInteger();

        @Override
        public int read() {
            read.incrementAndGet();
            return 'y';
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            read.addAndGet(length);
            return length;
        }

        @Override
        public int available() {
            return Integer.MAX_VALUE;
        }
    }

    @Test
    void input_that_cannot_be_passed_on_whole_cancels_the_command() {
        var cancelled = new CountDownLatch(1);
        gateway.on("POST " + EXECS, exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(START.getBytes(UTF_8));
            exchange.getResponseBody().flush();
            cancelled.await();
            exchange.getResponseBody()
                    .write(end("\"end_reason\":\"cancelled\",\"exit_code\":143").getBytes(UTF_8));
        });
        // Broken off without an answer: whether the piece was taken is unknown.
        gateway.on("POST " + EXECS + "/x1/stdin", exchange -> exchange.close());
        gateway.on("DELETE " + EXECS + "/x1", exchange -> {
            exchange.sendResponseHeaders(204, -1);
            cancelled.countDown();
        });
        stdin = new byte[] {1, 2, 3};
        var ended = hermit("sandbox", "exec", "-i", "--", "cat");
        assertThat(ended.code()).isEqualTo(143);
        assertThat(ended.err()).contains("pass stdin on").contains("The command is cancelled");
        assertThat(gateway.asked())
                .filteredOn(asked -> asked.path().endsWith("/stdin"))
                .hasSize(1);
    }

    @Test
    void in_the_background_the_id_is_printed_and_nothing_is_followed() {
        gateway.on("POST " + EXECS, 202, "{\"exec_id\":\"x1\",\"state\":\"running\"}");
        var ended = hermit("sandbox", "exec", "--background", "--", "sleep", "99");
        assertThat(ended.code()).isZero();
        assertThat(ended.out()).isEqualTo("x1\n");
        assertThat(sent().path("background").asBoolean()).isTrue();
        assertThat(gateway.last().headers()).containsEntry("Accept", "application/json");
        assertThat(hermit("sandbox", "exec", "--json", "-b", "--", "true")
                        .json()
                        .path("state")
                        .asText())
                .isEqualTo("running");
    }

    @Test
    void a_command_in_the_background_gets_its_whole_stdin_with_the_request() {
        gateway.on("POST " + EXECS, 202, "{\"exec_id\":\"x1\"}");
        stdin = new byte[] {0, (byte) 0xfe, 10};
        hermit("sandbox", "exec", "-b", "-i", "--", "cat");
        assertThat(Base64.getDecoder().decode(sent().path("stdin").asText())).containsExactly(0, 0xfe, 10);
        assertThat(sent().path("stdin_encoding").asText()).isEqualTo("base64");
    }

    @Test
    void stdin_beyond_the_limit_of_a_request_is_refused_and_nothing_runs() {
        stdin = new byte[ExecRequest.MOST_STDIN + 1];
        var ended = hermit("sandbox", "exec", "-b", "-i", "--", "cat");
        assertThat(ended.code()).isEqualTo(125);
        assertThat(ended.err()).contains("larger than 8388608 bytes");
        assertThat(gateway.asked()).isEmpty();
    }

    @Test
    void much_output_hides_neither_stderr_nor_the_code() {
        var events = new ArrayList<String>();
        byte[] piece = new byte[64 << 10];
        events.add(START);
        for (int i = 0; i < 16; i++) events.add(output("stdout", (long) i * piece.length, piece));
        events.add(output("stderr", 0, "one line\n".getBytes(UTF_8)));
        events.add(end("\"end_reason\":\"exited\",\"exit_code\":3"));
        answers(events.toArray(String[]::new));
        var ended = hermit("sandbox", "exec", "--", "x");
        assertThat(ended.stdout().size()).isEqualTo(1 << 20);
        assertThat(ended.err()).isEqualTo("one line\n");
        assertThat(ended.code()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({"timed_out,137,''", "signaled,139,''", "cancelled,143,cancelled", "oom_killed,137,out of memory"})
    void other_ends_have_the_code_that_the_gateway_gives(String reason, int code, String said) {
        answers(START, end("\"end_reason\":\"%s\",\"exit_code\":%d".formatted(reason, code)));
        var ended = hermit("sandbox", "exec", "--", "x");
        assertThat(ended.code()).isEqualTo(code);
        if (said.isEmpty()) assertThat(ended.err()).isEmpty();
        else assertThat(ended.err()).contains(said);
    }

    @Test
    void an_end_without_a_code_is_125_and_says_why() {
        answers(
                START,
                end(
                        "\"end_reason\":\"sandbox_lost\",\"exit_code\":null,\"error\":{\"detail\":\"the container went away\"}"));
        var ended = hermit("sandbox", "exec", "--", "x");
        assertThat(ended.code()).isEqualTo(125);
        assertThat(ended.err()).contains("the container went away");
    }

    @ParameterizedTest
    @CsvSource({"400,cwd_not_found", "404,not_found", "409,no_sandbox", "503,backend_unavailable"})
    void what_the_gateway_refuses_is_125(int status, String code) {
        gateway.problem("POST " + EXECS, status, code, "it said no");
        var ended = hermit("sandbox", "exec", "--", "x");
        assertThat(ended.code()).isEqualTo(125);
        assertThat(ended.err()).isEqualTo("hermit: it said no\n");
        assertThat(ended.out()).isEmpty();
    }

    @Test
    void no_gateway_is_125() {
        gateway.close();
        assertThat(hermit("sandbox", "exec", "--", "x").code()).isEqualTo(125);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--timeout=30", "--timeout=0s", "--nonsense", "-eNOVALUE"})
    void wrong_arguments_are_125_and_nothing_runs(String option) {
        assertThat(hermit("sandbox", "exec", option, "--", "x").code()).isEqualTo(125);
        assertThat(gateway.asked()).isEmpty();
    }

    @Test
    void a_command_is_words_or_text_and_not_both_nor_none() {
        assertThat(hermit("sandbox", "exec").code()).isEqualTo(125);
        assertThat(hermit("sandbox", "exec", "-c", "a", "--", "b").code()).isEqualTo(125);
        assertThat(gateway.asked()).isEmpty();
    }

    @Test
    void a_stream_that_breaks_is_taken_up_again_behind_what_came() {
        answers(START, event("4:0", "stdout", output4("half")));
        gateway.events(
                REST,
                // The same piece again, as when the break came between the event and its id.
                event("4:0", "stdout", output4("half")),
                output("stdout", 4, " and half".getBytes(UTF_8)),
                end("\"end_reason\":\"exited\",\"exit_code\":7"));
        var ended = hermit("sandbox", "exec", "--", "x");
        assertThat(ended.code()).isEqualTo(7);
        assertThat(ended.out()).isEqualTo("half and half");
        assertThat(ended.err()).contains("Looking for the gateway again");
        assertThat(gateway.last().headers()).containsEntry("Last-event-id", "4:0");
        assertThat(pauses).hasSize(1);
        assertThat(gateway.asked())
                .filteredOn(asked -> asked.method().equals("POST"))
                .hasSize(1);
    }

    private static String output4(String text) {
        return "{\"data\":\"%s\",\"encoding\":\"utf8\",\"offset\":0}".formatted(text);
    }

    @Test
    void a_connection_that_breaks_before_anything_came_is_the_same_command_again() {
        var tries = new AtomicInteger();
        gateway.on("POST " + EXECS, exchange -> {
            if (tries.incrementAndGet() == 1) exchange.close();
            else FakeGateway.send(exchange, 200, "text/event-stream", START + DONE);
        });
        assertThat(hermit("sandbox", "exec", "--", "x").code()).isZero();
        assertThat(gateway.asked()).hasSize(2);
        assertThat(gateway.asked().get(0).body())
                .isEqualTo(gateway.asked().get(1).body());
        assertThat(sent().path("idempotency_key").asText()).isNotEmpty();
    }

    @Test
    void two_commands_never_have_the_same_key() {
        answers(START, DONE);
        hermit("sandbox", "exec", "--", "x");
        var first = sent().path("idempotency_key");
        hermit("sandbox", "exec", "--", "x");
        assertThat(sent().path("idempotency_key")).isNotEqualTo(first);
    }

    @Test
    void a_gateway_that_is_restarting_is_asked_until_it_knows_the_command_again() {
        answers(START);
        var tries = new AtomicInteger();
        gateway.on(REST, exchange -> {
            switch (tries.incrementAndGet()) {
                case 1 -> problem(exchange, 503, "backend_unavailable");
                case 2 -> problem(exchange, 409, "conflict");
                case 3 ->
                    FakeGateway.send(
                            exchange,
                            200,
                            "text/event-stream",
                            event("error", "{\"status\":503,\"detail\":\"closing\"}"));
                default -> FakeGateway.send(exchange, 200, "text/event-stream", DONE);
            }
        });
        assertThat(hermit("sandbox", "exec", "--", "x").code()).isZero();
        assertThat(tries).hasValue(4);
        assertThat(pauses).hasSize(4).isSorted();
    }

    private static void problem(HttpExchange exchange, int status, String code) throws IOException {
        FakeGateway.send(
                exchange,
                status,
                "application/problem+json",
                "{\"status\":%d,\"code\":\"%s\"}".formatted(status, code));
    }

    @Test
    void a_gateway_that_stays_away_is_given_up_and_the_id_is_told() {
        answers(START, output("stdout", 0, "half".getBytes(UTF_8)));
        gateway.on(REST, exchange -> exchange.close());
        var ended = hermit("sandbox", "exec", "--", "x");
        assertThat(ended.code()).isEqualTo(125);
        assertThat(ended.out()).isEqualTo("half");
        assertThat(ended.err()).contains("exec id 'x1': hermit sandbox logs x1");
        assertThat(pauses).hasSize(Reconnects.MOST);
    }

    @Test
    void connections_that_live_for_a_while_may_break_as_often_as_they_like() {
        answers(START);
        var tries = new AtomicInteger();
        gateway.on(
                REST,
                exchange -> FakeGateway.send(
                        exchange,
                        200,
                        "text/event-stream",
                        tries.incrementAndGet() <= 3 * Reconnects.MOST ? ": still here\n\n" : DONE));
        assertThat(hermit("sandbox", "exec", "--", "sleep", "9999").code()).isZero();
    }

    @Test
    void a_command_that_is_gone_is_not_asked_for_again() {
        answers(START);
        var ended = hermit("sandbox", "exec", "--", "x");
        assertThat(ended.code()).isEqualTo(125);
        assertThat(ended.err()).contains("no such thing").contains("exec id 'x1'");
        assertThat(gateway.asked()).hasSize(2);
    }

    @Test
    void bytes_that_were_left_out_are_told() {
        answers(START, output("stdout", 100, "tail".getBytes(UTF_8)), end("\"end_reason\":\"exited\",\"exit_code\":0"));
        assertThat(hermit("sandbox", "exec", "--", "x").err()).contains("100 bytes of stdout are missing here");
        answers(
                START,
                output("stderr", 0, "x".getBytes(UTF_8)),
                event("resync", "{\"stream\":\"stderr\",\"offset\":51}"),
                output("stderr", 51, "y".getBytes(UTF_8)),
                end("\"end_reason\":\"exited\",\"exit_code\":0"));
        assertThat(hermit("sandbox", "exec", "--", "x").err())
                .isEqualTo("xhermit: 50 bytes of stderr are missing here\ny");
    }

    @Test
    void notices_go_to_stderr_without_control_characters() {
        answers(
                START,
                event("notice", "{\"message\":\"made \\u001b]0;again\"}"),
                end("\"end_reason\":\"exited\",\"exit_code\":0"));
        assertThat(hermit("sandbox", "exec", "--", "x").err()).isEqualTo("hermit: made \\x1b]0;again\n");
    }

    @Test
    void with_json_stdout_is_the_result_and_the_code_is_still_the_commands() {
        answers(
                START,
                event("stdout", "{\"data\":\"hi\",\"encoding\":\"utf8\",\"offset\":0}"),
                end("\"end_reason\":\"exited\",\"exit_code\":3"));
        gateway.on("GET " + EXECS + "/x1", 200, "{\"exec_id\":\"x1\",\"exit_code\":3,\"stdout\":\"hi\"}");
        var ended = hermit("sandbox", "exec", "--json", "--", "x");
        assertThat(ended.code()).isEqualTo(3);
        assertThat(ended.json().path("stdout").asText()).isEqualTo("hi");
        assertThat(gateway.asked().getFirst().body().path("encoding").asText()).isEqualTo("utf8");
    }

    @Test
    void ctrl_c_cancels_the_command_once() throws Exception {
        var cancelled = new CountDownLatch(1);
        gateway.on("DELETE " + EXECS + "/x1", exchange -> {
            exchange.sendResponseHeaders(204, -1);
            cancelled.countDown();
        });
        gateway.on("POST " + EXECS, exchange -> {
            exchange.sendResponseHeaders(200, 0);
            var body = exchange.getResponseBody();
            body.write((START + output("stdout", 0, "on".getBytes(UTF_8))).getBytes(UTF_8));
            body.flush();
            cancelled.await();
            body.write(end("\"end_reason\":\"cancelled\",\"exit_code\":143").getBytes(UTF_8));
        });
        var printed = new CountDownLatch(1);
        var out = new OutputStream() {
            @Override
            public void write(int b) {
                printed.countDown();
            }
        };
        var presses = Thread.ofVirtual().start(() -> {
            awaitUninterrupted(printed);
            interrupts.press();
            interrupts.press();
        });
        assertThat(hermit(out, OutputStream.nullOutputStream(), "sandbox", "exec", "--", "x"))
                .isEqualTo(143);
        presses.join();
        assertThat(gateway.asked())
                .filteredOn(asked -> asked.method().equals("DELETE"))
                .hasSize(1);
        assertThat(interrupts.guarding()).isZero();
    }

    @Test
    void ctrl_c_before_the_start_cancels_as_soon_as_it_has_started() throws Exception {
        var asked = new CountDownLatch(1);
        var pressed = new CountDownLatch(1);
        var cancelled = new CountDownLatch(1);
        gateway.on("DELETE " + EXECS + "/x1", exchange -> {
            exchange.sendResponseHeaders(202, -1);
            cancelled.countDown();
        });
        gateway.on("POST " + EXECS, exchange -> {
            asked.countDown();
            pressed.await();
            exchange.sendResponseHeaders(200, 0);
            var body = exchange.getResponseBody();
            body.write(START.getBytes(UTF_8));
            body.flush();
            cancelled.await();
            body.write(end("\"end_reason\":\"cancelled\",\"exit_code\":143").getBytes(UTF_8));
        });
        var presses = Thread.ofVirtual().start(() -> {
            awaitUninterrupted(asked);
            interrupts.press();
            pressed.countDown();
        });
        var ended = hermit("sandbox", "exec", "--", "x");
        presses.join();
        assertThat(ended.code()).isEqualTo(143);
        assertThat(ended.err()).contains("cancelled as soon as it has started");
    }

    @Test
    void a_reader_that_has_gone_cancels_the_command() {
        answers(START, output("stdout", 0, "lots".getBytes(UTF_8)), end("\"end_reason\":\"exited\",\"exit_code\":0"));
        gateway.on("DELETE " + EXECS + "/x1", 204, "");
        var closed = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        assertThat(hermit(closed, OutputStream.nullOutputStream(), "sandbox", "exec", "--", "yes"))
                .isEqualTo(141);
        assertThat(gateway.last().method()).isEqualTo("DELETE");
    }

    @Test
    void what_a_sandbox_waits_for_is_shown_once_and_cleared() throws Exception {
        gateway.on(
                "GET /api/agents/main/sandboxes/default",
                200,
                "{\"runtime\":{\"state\":\"starting\",\"detail\":\"pulling 40 %\"}}");
        var err = new java.io.ByteArrayOutputStream();
        terminal = true;
        var surroundings = surroundings(OutputStream.nullOutputStream(), err);
        var client = new hermit.api.GatewayClient(java.net.URI.create(gateway.url()), java.util.Optional.empty());
        try (var progress = new BringUpProgress(client, Sandboxes.path("main", "default"), new Output(surroundings))) {
            progress.look();
            progress.look();
        }
        assertThat(err.toString(UTF_8)).isEqualTo("\r\033[Kpulling 40 %\r\033[K");
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
