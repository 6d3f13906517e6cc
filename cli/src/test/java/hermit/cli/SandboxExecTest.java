package hermit.cli;

import static hermit.cli.FakeGateway.event;
import static hermit.cli.FakeGateway.output;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Base64;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SandboxExecTest extends CliTest {
    private static final String EXECS = "/api/agents/main/sandboxes/default/execs";
    private static final String START = event("start", "{\"exec_id\":\"x1\"}");

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
        assertThat(sent().toString())
                .isEqualTo(
                        "{\"command\":\"echo hi\",\"cwd\":\"/srv\",\"cancel_on_disconnect\":true,\"env\":{\"A\":\"1\",\"B\":\"x=y\",\"C\":\"\"},\"timeout_ms\":30000,\"login\":true,\"encoding\":\"base64\"}");
    }

    @Test
    void stdin_is_sent_only_when_asked_for() {
        answers(START, end("\"end_reason\":\"exited\",\"exit_code\":0"));
        stdin = new byte[] {0, (byte) 0xfe, 10};
        hermit("sandbox", "exec", "--", "cat");
        assertThat(sent().has("stdin")).isFalse();
        hermit("sandbox", "exec", "-i", "--", "cat");
        assertThat(Base64.getDecoder().decode(sent().path("stdin").asText())).containsExactly(0, 0xfe, 10);
        assertThat(sent().path("stdin_encoding").asText()).isEqualTo("base64");
    }

    @Test
    void stdin_beyond_the_limit_is_refused_and_nothing_runs() {
        stdin = new byte[ExecRequest.MOST_STDIN + 1];
        var ended = hermit("sandbox", "exec", "-i", "--", "cat");
        assertThat(ended.code()).isEqualTo(125);
        assertThat(ended.err()).contains("larger than 8388608 bytes");
        assertThat(gateway.asked()).isEmpty();
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
    void a_stream_that_breaks_off_is_no_success() {
        answers(START, output("stdout", 0, "half".getBytes(UTF_8)));
        var ended = hermit("sandbox", "exec", "--", "x");
        assertThat(ended.code()).isEqualTo(125);
        assertThat(ended.out()).isEqualTo("half");
        assertThat(ended.err()).contains("exec id 'x1'");
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
        var surroundings = new Surroundings(
                java.util.Map.of(),
                java.io.InputStream.nullInputStream(),
                OutputStream.nullOutputStream(),
                err,
                true,
                true,
                interrupts);
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
