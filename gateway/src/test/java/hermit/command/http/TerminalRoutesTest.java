package hermit.command.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.TestGateway;
import hermit.exec.Command.Terminal;
import hermit.exec.ExecId;
import hermit.http.Raw;
import hermit.http.TestSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
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

/// What is typed at a fake terminal is printed there.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class TerminalRoutesTest {
    private static final String SANDBOX = "/api/agents/main/sandboxes/default";
    private static final String ALL = SANDBOX + "/terminals";

    private final TestGateway gateway = new TestGateway();
    private UUID sandbox = new UUID(0, 0);

    @BeforeEach
    void an_agent_with_a_docker_sandbox() {
        gateway.client.post("/api/agents", Map.of("id", "main"));
        sandbox = UUID.fromString(
                String.valueOf(gateway.client.get(SANDBOX).object().get("id")));
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void a_terminal_is_made_in_its_size_and_shows_what_it_is() {
        var made = gateway.client.post(ALL, Map.of("cols", 100, "rows", 30, "command", "top", "cwd", "/tmp"));
        assertThat(made.status()).isEqualTo(201);
        assertThat(made.object())
                .containsEntry("cols", 100)
                .containsEntry("rows", 30)
                .containsEntry("command", "top")
                .containsEntry("cwd", "/tmp")
                .containsEntry("state", "running")
                .containsEntry("viewers", 0)
                .containsEntry("timeout_ms", null)
                .containsEntry("terminal", true);
        assertThat(made.object().get("id")).isEqualTo(made.object().get("exec_id"));
        assertThat(gateway.docker.told(sandbox, id(made.object()))).containsExactly(new Terminal(100, 30));
        assertThat(gateway.client.get(made.header("Location")).object()).isEqualTo(made.object());
        assertThat(gateway.client.get(ALL).items()).containsExactly(made.object());
    }

    @Test
    void without_a_body_s_wishes_it_is_the_user_s_shell_at_80x24() {
        var made = gateway.client.post(ALL, Map.of()).object();
        assertThat(made).containsEntry("cols", 80).containsEntry("rows", 24).containsEntry("cwd", "/root");
        assertThat(made.get("command")).asString().contains("exec \"$s\" -l");
    }

    @ParameterizedTest
    @CsvSource({
        "cols, 0",
        "cols, 1001",
        "rows, -1",
    })
    void sizes_beyond_any_screen_are_refused_by_name(String field, int value) {
        var other = field.equals("cols") ? "rows" : "cols";
        var refused = gateway.client.post(ALL, Map.of(field, value, other, 24));
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.paths()).containsExactly(field);
        assertThat(gateway.client.get(ALL).items()).isEmpty();
    }

    @Test
    void half_a_size_and_unknown_fields_are_refused_by_name() {
        assertThat(gateway.client.post(ALL, Map.of("cols", 80)).paths()).containsExactly("rows");
        assertThat(gateway.client.post(ALL, Map.of("colums", 80)).paths()).containsExactly("colums");
        assertThat(gateway.client
                        .post(ALL, Map.of("command", "a", "argv", List.of("b")))
                        .paths())
                .containsExactly("command");
    }

    @Test
    void the_first_viewer_is_told_that_it_controls_its_size_and_what_was_printed() throws Exception {
        var made = open();
        gateway.docker.print(sandbox, id(made), bytes("hello"));
        try (var viewer = look(made, "")) {
            assertThat(viewer.message()).isEqualTo(Map.of("type", "takeover", "controller", true));
            assertThat(viewer.message()).isEqualTo(Map.of("type", "resize", "cols", 80, "rows", 24));
            assertThat(viewer.message()).isEqualTo(Map.of("type", "replay", "offset", 0, "bytes", 5, "dropped", 0));
            assertThat(viewer.bytes(5)).isEqualTo("hello");
            viewer.type("ls\n");
            assertThat(viewer.bytes(3)).isEqualTo("ls\n");
            assertThat(gateway.client.get(ALL).items().getFirst()).containsEntry("viewers", 1);
        }
    }

    @Test
    void the_replay_is_the_last_64_KiB() throws Exception {
        var made = open();
        byte[] much = new byte[100_000];
        Arrays.fill(much, (byte) 'a');
        gateway.docker.print(sandbox, id(made), much);
        gateway.docker.print(sandbox, id(made), bytes("end"));
        try (var viewer = look(made, "")) {
            assertThat(viewer.message("replay"))
                    .isEqualTo(Map.of("type", "replay", "offset", 100_003 - 65_536, "bytes", 65_536, "dropped", 0));
            assertThat(viewer.bytes(65_536)).endsWith("aend").hasSize(65_536);
        }
    }

    @Test
    void sizes_are_the_controller_s_and_the_others_are_told() throws Exception {
        var made = open();
        try (var first = look(made, "")) {
            first.message("replay");
            try (var second = look(made, "")) {
                assertThat(second.message()).isEqualTo(Map.of("type", "takeover", "controller", false));
                second.message("replay");
                first.send("{\"type\": \"resize\", \"cols\": 132, \"rows\": 50}");
                assertThat(second.message("resize")).containsEntry("cols", 132).containsEntry("rows", 50);
                assertThat(gateway.docker.told(sandbox, id(made)))
                        .containsExactly(new Terminal(80, 24), new Terminal(132, 50));
                second.send("{\"type\": \"resize\", \"cols\": 10, \"rows\": 10}");
                assertThat(second.message("error")).containsEntry("code", "forbidden");
                assertThat(gateway.client.get(ALL).items().getFirst()).containsEntry("cols", 132);
            }
        }
    }

    @Test
    void only_the_controller_types_until_another_takes_over() throws Exception {
        var made = open();
        try (var first = look(made, "");
                var second = look(made, "")) {
            first.message("replay");
            second.message("replay");
            second.type("no\n");
            assertThat(second.message("error")).containsEntry("code", "forbidden");
            second.send("{\"type\": \"takeover\"}");
            assertThat(second.message("takeover")).containsEntry("controller", true);
            assertThat(first.message("takeover")).containsEntry("controller", false);
            second.type("yes\n");
            assertThat(first.bytes(4)).isEqualTo("yes\n");
            assertThat(second.bytes(4)).isEqualTo("yes\n");
            first.type("no\n");
            assertThat(first.message("error")).containsEntry("code", "forbidden");
        }
    }

    @Test
    void control_can_be_taken_while_joining_and_goes_to_the_next_when_its_holder_leaves() throws Exception {
        var made = open();
        try (var first = look(made, "")) {
            first.message("replay");
            try (var second = look(made, "?takeover=true")) {
                assertThat(second.message()).isEqualTo(Map.of("type", "takeover", "controller", true));
                assertThat(first.message("takeover")).containsEntry("controller", false);
                second.abort();
                assertThat(first.message("takeover")).containsEntry("controller", true);
            }
        }
    }

    @Test
    void a_viewer_that_comes_back_finds_the_same_shell_fifty_times() throws Exception {
        var made = open();
        for (int i = 0; i < 50; i++)
            try (var viewer = look(made, "?takeover=true")) {
                assertThat(viewer.message("replay")).containsEntry("bytes", 2 * i);
                viewer.type("x\n");
                viewer.bytes(2 * i + 2);
            }
        assertThat(gateway.client.get(ALL).items()).hasSize(1);
    }

    @Test
    void the_end_is_told_with_its_code_and_then_there_is_nothing_to_look_at() throws Exception {
        var made = open();
        try (var viewer = look(made, "")) {
            viewer.message("replay");
            viewer.type("exit 7\n");
            assertThat(viewer.message("exit"))
                    .containsEntry("exit_code", 7)
                    .containsEntry("end_reason", "exited")
                    .containsEntry("signal", null);
            assertThat(viewer.closed()).isEqualTo(1_000);
        }
        assertThat(TestSocket.refused(gateway.port(), ALL + "/" + made.get("id")))
                .isEqualTo(409);
        assertThat(gateway.client.get(ALL).items()).isEmpty();
        assertThat(gateway.client.get(ALL + "/" + made.get("id")).object())
                .containsEntry("state", "ended")
                .containsEntry("exit_code", 7)
                .containsEntry("cols", 80);
    }

    @Test
    void ending_it_hangs_up_and_tells_the_viewers() throws Exception {
        var made = open();
        try (var viewer = look(made, "")) {
            viewer.message("replay");
            assertThat(gateway.client.delete(ALL + "/" + made.get("id")).status())
                    .isEqualTo(202);
            assertThat(viewer.message("exit")).containsEntry("end_reason", "cancelled");
        }
        assertThat(gateway.docker.told(sandbox, id(made))).contains(1);
        assertThat(gateway.client.delete(ALL + "/" + made.get("id")).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "no json", "{\"type\": \"resize\"}", "{\"type\": \"dance\"}", "{}", "{\"type\": 5}"})
    void a_message_that_makes_no_sense_is_answered_and_the_terminal_goes_on(String text) throws Exception {
        try (var viewer = look(open(), "")) {
            viewer.message("replay");
            viewer.send(text);
            assertThat(viewer.message("error")).containsEntry("code", "invalid");
            viewer.type("still\n");
            assertThat(viewer.bytes(6)).isEqualTo("still\n");
        }
    }

    @Test
    void a_message_that_is_too_large_closes_the_connection_and_not_the_terminal() throws Exception {
        var made = open();
        try (var viewer = look(made, "")) {
            viewer.message("replay");
            viewer.send(new byte[300_000]);
            assertThat(viewer.closed()).isIn(1_009, 1_006);
        }
        assertThat(gateway.client.get(ALL).items()).hasSize(1);
    }

    @Test
    void what_cannot_be_looked_at_is_an_ordinary_refusal_before_the_handshake() {
        var made = open();
        String exec = String.valueOf(gateway.client
                .post(SANDBOX + "/execs", Map.of("command", "hang", "background", true))
                .object()
                .get("exec_id"));
        for (String path : List.of(
                ALL + "/" + new UUID(1, 2),
                ALL + "/nonsense",
                ALL + "/" + exec,
                "/api/agents/main/sandboxes/other/terminals/" + made.get("id"),
                "/api/agents/other/sandboxes/default/terminals/" + made.get("id")))
            assertThat(TestSocket.refused(gateway.port(), path)).as(path).isEqualTo(404);
        assertThat(TestSocket.refused(gateway.port(), ALL + "/" + made.get("id") + "?take=1"))
                .isEqualTo(400);
        assertThat(Raw.exchange(
                        gateway.port(), Raw.handshake(ALL + "/" + made.get("id"), "Origin: https://evil.example")))
                .startsWith("HTTP/1.1 403 ");
        assertThat(Raw.exchange(gateway.port(), Raw.handshake(ALL + "/" + made.get("id"))))
                .startsWith("HTTP/1.1 401 ")
                .contains("\"code\":\"unauthenticated\"");
    }

    @Test
    void a_gateway_that_closes_says_so() throws Exception {
        try (var viewer = look(open(), "")) {
            viewer.message("replay");
            gateway.close();
            assertThat(viewer.closed()).isEqualTo(1_001);
        }
    }

    @Test
    void seventeen_viewers_are_one_too_many() throws Exception {
        var made = open();
        var viewers = new ArrayList<TestSocket>();
        try {
            for (int i = 0; i < 16; i++) {
                viewers.add(look(made, ""));
                viewers.getLast().message("replay");
            }
            viewers.add(look(made, ""));
            assertThat(viewers.getLast().message("error")).containsEntry("code", "rate_limited");
        } finally {
            viewers.forEach(TestSocket::close);
        }
    }

    private Map<String, Object> open() {
        return gateway.client.post(ALL, Map.of()).object();
    }

    private TestSocket look(Map<String, Object> terminal, String query) {
        return TestSocket.open(gateway.port(), ALL + "/" + terminal.get("id") + query);
    }

    private static ExecId id(Map<String, Object> terminal) {
        return new ExecId(UUID.fromString(String.valueOf(terminal.get("id"))));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
