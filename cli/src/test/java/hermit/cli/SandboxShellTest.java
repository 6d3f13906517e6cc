package hermit.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.cli.FakeTerminalGateway.Connection;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SandboxShellTest extends CliTest {
    private static final String TERMINALS = "/api/agents/main/sandboxes/default/terminals";
    private static final String YOURS = "{\"type\":\"takeover\",\"controller\":true}";
    private static final String NOT_YOURS = "{\"type\":\"takeover\",\"controller\":false}";

    private final FakeTerminalGateway server = new FakeTerminalGateway();
    private final FakeTerminal local = new FakeTerminal();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @BeforeEach
    void sitDown() {
        env.put("HERMIT_URL", server.url());
        env.put("TERM", "xterm-kitty");
        terminals = () -> local;
    }

    @AfterEach
    void stop() {
        server.close();
        threads.shutdownNow();
        assertThat(local.isRaw()).as("the terminal was given back").isFalse();
        assertThat(interrupts.guarding()).isZero();
    }

    private Future<Ended> shell(String... more) {
        var args = new ArrayList<>(List.of("sandbox", "shell"));
        args.addAll(List.of(more));
        return threads.submit(() -> hermit(args.toArray(String[]::new)));
    }

    private static String replay(long offset, long bytes) {
        return "{\"type\":\"replay\",\"offset\":%d,\"bytes\":%d}".formatted(offset, bytes);
    }

    private static String exit(int code) {
        return "{\"type\":\"exit\",\"exit_code\":%d,\"end_reason\":\"exited\"}".formatted(code);
    }

    private static void exits(Connection connection, int code) throws Exception {
        connection.says(exit(code));
        connection.closes(1000);
    }

    private JsonNode created() {
        return server.asked().getFirst().body();
    }

    @Test
    void a_shell_has_our_size_and_ends_with_its_own_code() throws Exception {
        local.resize(100, 30);
        var ended = shell();
        Connection connection = server.connection();
        connection.says(YOURS).says(replay(0, 0)).prints("hi $ ");
        assertThat(connection.message().toString()).isEqualTo("{\"type\":\"resize\",\"cols\":100,\"rows\":30}");
        local.type("exit 3\r");
        assertThat(connection.keys()).isEqualTo("exit 3\r");
        exits(connection, 3);
        assertThat(ended.get().code()).isEqualTo(3);
        assertThat(ended.get().out()).isEqualTo("hi $ ");
        assertThat(ended.get().err())
                .isEqualTo(
                        "hermit: Ctrl-] leaves, and the terminal goes on; to come back: hermit sandbox shell --agent main"
                                + " default --attach t1\n");
        assertThat(server.asked())
                .extracting(FakeTerminalGateway.Asked::line)
                .containsExactly("POST " + TERMINALS, "GET " + TERMINALS + "/t1?takeover=true");
        assertThat(server.asked().getLast().headers()).containsEntry("Authorization", "Bearer secret");
        assertThat(created().toString()).isEqualTo("{\"cols\":100,\"rows\":30,\"env\":{\"TERM\":\"xterm-kitty\"}}");
        assertThat(local.wasRaw()).isTrue();
    }

    @Test
    void every_key_goes_there_and_every_byte_comes_back_as_it_is() throws Exception {
        var ended = shell("--detach-key", "none");
        Connection connection = server.connection();
        local.type("\003\032\033[A\035\177");
        assertThat(connection.keys()).isEqualTo("\003\032\033[A\035\177");
        var odd = new String(new char[] {0, 7, 27, 155, 'ä'});
        exits(connection.prints(odd), 0);
        assertThat(ended.get().stdout().toByteArray()).isEqualTo(odd.getBytes(UTF_8));
    }

    @Test
    void each_change_of_the_size_is_told() throws Exception {
        var ended = shell();
        Connection connection = server.connection();
        connection.says(YOURS);
        assertThat(connection.message().path("cols").asInt()).isEqualTo(80);
        local.resize(132, 43);
        assertThat(connection.message().toString()).isEqualTo("{\"type\":\"resize\",\"cols\":132,\"rows\":43}");
        exits(connection, 0);
        assertThat(ended.get().code()).isZero();
    }

    @Test
    void a_terminal_without_a_size_is_not_given_one() throws Exception {
        local.resize(0, 0);
        var ended = shell();
        exits(server.connection().says(YOURS), 0);
        assertThat(ended.get().code()).isZero();
        assertThat(created().has("cols")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-- bash -l|default|{\"argv\":[\"bash\",\"-l\"],",
                "tools -- bash|tools|{\"argv\":[\"bash\"],",
                "--agent main tools -- top -d 1|tools|{\"argv\":[\"top\",\"-d\",\"1\"],",
                "-- ls&&sh|default|{\"command\":\"ls&&sh\",",
                "tools|tools|{\"cols\":80,",
                "-- |default|{\"cols\":80,"
            })
    void words_behind_two_dashes_are_the_command(String words, String alias, String body) throws Exception {
        var ended = shell(words.strip().split(" "));
        exits(server.connection(), 0);
        assertThat(ended.get().code()).isZero();
        assertThat(server.asked().getFirst().line()).isEqualTo("POST " + TERMINALS.replace("default", alias));
        assertThat(created().toString()).startsWith(body);
    }

    @Test
    void every_option_reaches_the_gateway() throws Exception {
        var ended = shell("--cwd", "/srv", "-e", "A=1", "--env", "TERM=vt100");
        exits(server.connection(), 0);
        assertThat(ended.get().code()).isZero();
        assertThat(created().path("cwd").asText()).isEqualTo("/srv");
        assertThat(created().path("env").toString()).isEqualTo("{\"TERM\":\"vt100\",\"A\":\"1\"}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"a b", "a b -- c", "--view", "--attach t -- sh", "--attach t --cwd /", "--detach-key x", "--json"
            })
    void arguments_that_make_no_sense_are_125(String arguments) throws Exception {
        assertThat(shell(arguments.split(" ")).get().code()).isEqualTo(125);
        assertThat(server.asked()).isEmpty();
        assertThat(local.wasRaw()).isFalse();
    }

    @Test
    void without_a_terminal_exec_is_pointed_at() throws Exception {
        terminals = LocalTerminals.NONE;
        var ended = shell().get();
        assertThat(ended.code()).isEqualTo(125);
        assertThat(ended.err()).contains("hermit sandbox exec --");
        assertThat(server.asked()).isEmpty();
    }

    @Test
    void the_detach_key_leaves_and_the_terminal_goes_on() throws Exception {
        var ended = shell();
        Connection connection = server.connection();
        connection.says(YOURS).prints("\033[?1049h");
        local.type("ab\035cd");
        assertThat(connection.keys()).isEqualTo("ab");
        assertThat(connection.closed()).isEqualTo(1000);
        assertThat(ended.get().code()).isZero();
        assertThat(ended.get().out()).contains("\033[?1049l").contains("\033[?25h");
        assertThat(ended.get().err())
                .endsWith(
                        "hermit: Left. The terminal goes on; to come back: hermit sandbox shell --agent main default --attach t1\n");
        assertThat(server.asked()).noneMatch(asked -> asked.line().startsWith("DELETE"));
    }

    @Test
    void another_detach_key_leaves_as_well() throws Exception {
        var ended = shell("--detach-key", "ctrl-p");
        Connection connection = server.connection();
        local.type("\035\020");
        assertThat(connection.keys()).isEqualTo("\035");
        assertThat(ended.get().code()).isZero();
    }

    @Test
    void a_keyboard_that_goes_away_leaves() throws Exception {
        var ended = shell();
        server.connection();
        local.hangUp();
        assertThat(ended.get().code()).isZero();
    }

    @Test
    void a_process_that_is_asked_to_end_gives_the_terminal_back() throws Exception {
        var ended = shell();
        server.connection().says(YOURS).message();
        interrupts.press();
        assertThat(ended.get().err()).contains("Left.");
    }

    @Test
    void whoever_attaches_takes_the_keyboard_and_sees_what_was_there() throws Exception {
        local.resize(90, 20);
        var ended = shell("--attach", "t/9", "tools");
        Connection connection = server.connection();
        assertThat(connection.line()).isEqualTo("GET /api/agents/main/sandboxes/tools/terminals/t%2F9?takeover=true");
        connection.says(YOURS).says(replay(1000, 5)).prints("1000 ").prints("$ ");
        assertThat(connection.message().path("cols").asInt()).isEqualTo(90);
        exits(connection, 0);
        assertThat(ended.get().out()).isEqualTo("1000 $ ");
        assertThat(ended.get().err()).doesNotContain("missing");
        assertThat(server.asked()).hasSize(1);
    }

    @Test
    void whoever_only_looks_on_leaves_the_keyboard_and_the_size_alone() throws Exception {
        var ended = shell("--attach", "t1", "--view");
        Connection connection = server.connection();
        assertThat(connection.line()).isEqualTo("GET " + TERMINALS + "/t1");
        connection.says(NOT_YOURS).prints("x");
        local.resize(10, 10);
        connection.says(YOURS);
        assertThat(connection.message().toString()).isEqualTo("{\"type\":\"resize\",\"cols\":10,\"rows\":10}");
        local.type("now");
        assertThat(connection.keys()).isEqualTo("now");
        exits(connection, 0);
        assertThat(ended.get().code()).isZero();
    }

    @Test
    void keys_of_somebody_who_only_looks_on_ring_the_bell() throws Exception {
        var err = new ByteArrayOutputStream();
        var rung = new CountDownLatch(1);
        var listening = new OutputStream() {
            @Override
            public void write(int b) {
                err.write(b);
                if (b == 7) rung.countDown();
            }
        };
        Future<Integer> code = threads.submit(
                () -> hermit(new ByteArrayOutputStream(), listening, "sandbox", "shell", "--attach", "t1", "--view"));
        Connection connection = server.connection();
        local.type("y");
        rung.await();
        exits(connection, 0);
        assertThat(code.get()).isZero();
    }

    /// What is known of a command that has ended.
    private static String ended(int code, long offset, String output, long all) {
        return """
                {"state":"ended","exit_code":%d,"end_reason":"exited","stdout":"%s","stdout_offset":%d,"stdout_bytes":%d}
                """.formatted(code, Base64.getEncoder().encodeToString(output.getBytes(UTF_8)), offset, all);
    }

    @Test
    void a_command_that_has_ended_before_we_look_is_shown_all_the_same() throws Exception {
        server.refuse(409, "conflict");
        server.answers(
                "GET /api/agents/main/sandboxes/default/execs/t1?encoding=base64&stdout_offset=0",
                ended(3, 0, "done", 4));
        var ended = shell("--", "sh", "-c", "echo done; exit 3").get();
        assertThat(ended.code()).isEqualTo(3);
        assertThat(ended.out()).isEqualTo("done");
        assertThat(server.asked()).hasSize(3);
    }

    @Test
    void a_command_that_ends_while_the_connection_is_broken_is_shown_to_its_end() throws Exception {
        server.answers(
                "GET /api/agents/main/sandboxes/default/execs/t1?encoding=base64&stdout_offset=2",
                ended(4, 2, "cd", 14));
        var ended = shell();
        Connection connection = server.connection();
        connection.says(YOURS).says(replay(0, 0)).prints("ab").says(YOURS);
        connection.message();
        connection.message();
        server.refuse(409, "conflict");
        connection.breaks();
        assertThat(ended.get().code()).isEqualTo(4);
        assertThat(ended.get().out()).isEqualTo("abcd");
        assertThat(ended.get().err()).contains("10 bytes of output are missing here");
    }

    @Test
    void a_terminal_that_has_ended_cannot_be_attached() throws Exception {
        server.refuse(409, "conflict");
        assertThat(shell("--attach", "t1").get().code()).isEqualTo(125);
        assertThat(server.asked()).hasSize(1);
    }

    @Test
    void losing_the_keyboard_is_told() throws Exception {
        var ended = shell();
        exits(server.connection().says(YOURS).says(NOT_YOURS), 0);
        assertThat(ended.get().err()).contains("Somebody else has the keyboard now");
    }

    @Test
    void a_connection_that_breaks_is_made_again_and_each_byte_is_shown_once() throws Exception {
        var ended = shell();
        Connection first = server.connection();
        first.says(YOURS).says(replay(0, 0)).prints("abcdef").says(YOURS);
        first.message();
        // The answer to the second one: what was printed before it has been seen.
        first.message();
        first.breaks();
        Connection second = server.connection();
        assertThat(second.line()).endsWith("?takeover=true");
        local.resize(70, 20);
        second.says(YOURS).says(replay(2, 6)).prints("cde").prints("fgh").prints("i");
        assertThat(second.message().path("cols").asInt()).isEqualTo(70);
        second.closes(1001);
        exits(server.connection().says(YOURS).says(replay(9, 0)).prints("j"), 4);
        assertThat(ended.get().code()).isEqualTo(4);
        assertThat(ended.get().out()).isEqualTo("abcdefghij");
        assertThat(ended.get().err()).contains("Looking for the gateway again").contains("Connected again");
        assertThat(pauses).hasSize(2);
    }

    @Test
    void whoever_had_no_keyboard_does_not_take_it_when_coming_back() throws Exception {
        var ended = shell();
        Connection first = server.connection();
        first.says(YOURS).says(NOT_YOURS).prints("x");
        first.message();
        first.closes(1012);
        Connection second = server.connection();
        assertThat(second.line()).isEqualTo("GET " + TERMINALS + "/t1");
        exits(second, 0);
        assertThat(ended.get().code()).isZero();
    }

    @Test
    void output_that_is_lost_is_counted() throws Exception {
        var ended = shell();
        Connection connection = server.connection();
        connection.says(YOURS).says(replay(0, 0)).prints("abc");
        connection
                .says("{\"type\":\"replay\",\"offset\":103,\"bytes\":2,\"dropped\":100}")
                .prints("de");
        exits(connection, 0);
        assertThat(ended.get().out()).isEqualTo("abcde");
        assertThat(ended.get().err()).contains("100 bytes of output are missing here");
    }

    @Test
    void the_beginning_of_a_new_terminal_is_missed_when_it_is_lost() throws Exception {
        var ended = shell();
        exits(server.connection().says(YOURS).says(replay(7, 1)).prints("x"), 0);
        assertThat(ended.get().err()).contains("7 bytes of output are missing here");
    }

    @Test
    void what_the_gateway_refuses_is_125_and_says_why() throws Exception {
        server.answers(409, "{\"status\":409,\"code\":\"no_sandbox\",\"detail\":\"it has none\"}");
        var ended = shell().get();
        assertThat(ended.code()).isEqualTo(125);
        assertThat(ended.err()).isEqualTo("hermit: it has none\n");
        assertThat(local.wasRaw()).isFalse();
    }

    @Test
    void a_terminal_that_is_not_there_is_125() throws Exception {
        server.refuse(404, "not_found");
        var ended = shell("--attach", "t9").get();
        assertThat(ended.code()).isEqualTo(125);
        assertThat(ended.err()).contains("refused").doesNotContain("To try");
        assertThat(server.asked()).hasSize(1);
    }

    @Test
    void a_gateway_that_is_starting_is_asked_again_and_a_right_that_is_gone_ends_it() throws Exception {
        var ended = shell();
        Connection first = server.connection();
        server.refuse(503, "backend_unavailable");
        server.refuse(403, "forbidden");
        first.breaks();
        assertThat(ended.get().code()).isEqualTo(125);
        assertThat(server.asked()).hasSize(1 + 3);
    }

    @Test
    void a_gateway_that_stays_away_is_given_up() throws Exception {
        var ended = shell();
        server.connection();
        server.close();
        assertThat(ended.get().code()).isEqualTo(125);
        assertThat(ended.get().err()).contains("To try to come back: hermit sandbox shell");
        assertThat(pauses).hasSize(Reconnects.MOST);
    }

    @Test
    void the_detach_key_leaves_also_while_the_gateway_is_looked_for() throws Exception {
        pauses.clear();
        var waiting = new CountDownLatch(1);
        var err = new ByteArrayOutputStream();
        var out = new ByteArrayOutputStream();
        var usual = surroundings(out, err);
        var surroundings = new Surroundings(
                usual.env(),
                usual.in(),
                out,
                err,
                true,
                true,
                interrupts,
                time -> {
                    waiting.countDown();
                    Thread.currentThread().join();
                },
                terminals,
                SecretPrompt.NONE);
        Future<Integer> code = threads.submit(() -> new Cli(surroundings).run("sandbox", "shell"));
        server.connection().breaks();
        waiting.await();
        local.type("\035");
        assertThat(code.get()).isZero();
    }

    @Test
    void an_end_without_a_code_is_125() throws Exception {
        var ended = shell();
        server.connection()
                .says("{\"type\":\"exit\",\"exit_code\":null,\"end_reason\":\"sandbox_lost\"}")
                .closes(1000);
        assertThat(ended.get().code()).isEqualTo(125);
        assertThat(ended.get().err()).contains("sandbox_lost");
    }
}
