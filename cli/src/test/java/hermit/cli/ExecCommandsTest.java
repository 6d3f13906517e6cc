package hermit.cli;

import static hermit.cli.FakeGateway.event;
import static hermit.cli.FakeGateway.output;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `hermit sandbox ps`, `logs` and `kill`.
class ExecCommandsTest extends CliTest {
    private static final String EXECS = "/api/agents/main/sandboxes/default/execs";
    private static final String X1 = EXECS + "/x1";

    private static String page(String next, String... items) {
        return "{\"items\":[%s],\"next_cursor\":%s}".formatted(String.join(",", items), next);
    }

    private static String piece(String stdout, long stdoutOffset, long stdoutDropped, String stderr) {
        return """
                {"exec_id":"x1","state":"running","stdout":"%s","stdout_offset":%d,"stdout_next_offset":%d,
                "stdout_dropped_bytes":%d,"stderr":"%s","stderr_offset":0,"stderr_next_offset":%d,"stderr_dropped_bytes":0}
                """.formatted(
                        base64(stdout),
                        stdoutOffset,
                        stdoutOffset + stdout.length(),
                        stdoutDropped,
                        base64(stderr),
                        stderr.length());
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }

    private static String from(long stdout, long stderr) {
        return "GET %s?encoding=base64&stdout_offset=%d&stderr_offset=%d".formatted(X1, stdout, stderr);
    }

    @Test
    void ps_shows_what_runs_and_every_page_of_it() {
        gateway.on(
                        "GET " + EXECS + "?limit=1000&open=true",
                        200,
                        page(
                                "\"c/1\"",
                                "{\"exec_id\":\"x2\",\"state\":\"running\",\"command\":\"make test\",\"argv\":null,\"created_at\":\"C2\",\"started_at\":\"S2\"}"))
                .on(
                        "GET " + EXECS + "?limit=1000&open=true&cursor=c%2F1",
                        200,
                        page(
                                "null",
                                "{\"exec_id\":\"x1\",\"state\":\"starting\",\"command\":null,\"argv\":[\"ls\",\"two words\",\"it's\",\"\"],\"created_at\":\"C1\",\"started_at\":null}"));
        assertThat(hermit("sandbox", "ps").out()).isEqualTo("""
                        EXEC ID  STATE     SINCE  COMMAND
                        x2       running   S2     make test
                        x1       starting  C1     ls 'two words' 'it'\\''s' ''
                        """);
        var document = hermit("sandbox", "ps", "--json").json();
        assertThat(document.path("items")).hasSize(2);
        assertThat(document.path("next_cursor").isNull()).isTrue();
    }

    @Test
    void ps_all_shows_how_the_ended_ones_ended_and_no_more_than_asked_for() {
        gateway.on(
                "GET /api/agents/a/sandboxes/gpu/execs?limit=2",
                200,
                page(
                        "\"more\"",
                        "{\"exec_id\":\"x2\",\"state\":\"ended\",\"command\":\"%s\",\"end_reason\":\"timed_out\",\"exit_code\":137,\"signal\":null,\"ended_at\":\"E2\"}"
                                .formatted("é".repeat(61)),
                        "{\"exec_id\":\"x1\",\"state\":\"ended\",\"command\":\"kill\\n-9 $$\",\"end_reason\":\"signaled\",\"exit_code\":137,\"signal\":\"SIGKILL\",\"ended_at\":\"E1\"}"));
        assertThat(hermit("sandbox", "ps", "--agent", "a", "gpu", "--all", "--limit", "2")
                        .out())
                .isEqualTo("""
                        EXEC ID  STATE                 SINCE  COMMAND
                        x2       timed_out 137         E2     %s…
                        x1       signaled 137 SIGKILL  E1     kill -9 $$
                        """.formatted("é".repeat(59)));
        assertThat(hermit("sandbox", "ps", "--agent", "a", "gpu", "-a", "-n", "2", "--json")
                        .json()
                        .path("next_cursor")
                        .asText())
                .isEqualTo("more");
    }

    @Test
    void ps_of_nothing_at_all_is_a_mistake() {
        assertThat(hermit("sandbox", "ps", "--limit", "0").code()).isEqualTo(2);
        assertThat(hermit("sandbox", "ps", "nowhere").code()).isEqualTo(1);
    }

    @Test
    void logs_are_read_to_where_the_command_was_and_no_further() {
        gateway.on(from(0, 0), 200, piece("abc", 0, 2, "oops")).on(from(3, 4), 200, piece("defghi", 3, 100, ""));
        var ended = hermit("sandbox", "logs", "x1");
        assertThat(ended.code()).isZero();
        assertThat(ended.out()).isEqualTo("abcdefghi");
        assertThat(ended.err()).isEqualTo("oops");
        assertThat(gateway.asked()).hasSize(2);
    }

    @Test
    void logs_say_what_is_not_kept_any_more() {
        gateway.on(from(0, 0), 200, piece("abc", 0, 7, "")).on(from(3, 0), 200, piece("", 3, 7, ""));
        var ended = hermit("sandbox", "logs", "x1");
        assertThat(ended.out()).isEqualTo("abc");
        assertThat(ended.err()).isEqualTo("hermit: 7 bytes of stdout are missing here\n");
    }

    @Test
    void logs_with_a_hole_in_the_middle_say_so_there() {
        gateway.on(from(0, 0), 200, piece("abc", 0, 7, "")).on(from(3, 0), 200, piece("hij", 7, 0, ""));
        var ended = hermit("sandbox", "logs", "x1");
        assertThat(ended.out()).isEqualTo("abchij");
        assertThat(ended.err()).isEqualTo("hermit: 4 bytes of stdout are missing here\n");
    }

    @Test
    void logs_begin_where_they_are_asked_to() {
        gateway.on(from(4, 2), 200, piece("e", 4, 0, ""));
        assertThat(hermit("sandbox", "logs", "x1", "--since-offset", "4:2").out())
                .isEqualTo("e");
        gateway.on(from(4, 0), 200, piece("e", 4, 0, ""));
        assertThat(hermit("sandbox", "logs", "x1", "--since-offset", "4").out()).isEqualTo("e");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1:", ":1", "1:2:3", "x"})
    void an_offset_that_is_none_is_a_mistake(String offset) {
        assertThat(hermit("sandbox", "logs", "x1", "--since-offset=" + offset).code())
                .isEqualTo(2);
    }

    @Test
    void followed_logs_end_with_the_command_and_its_code() {
        gateway.events(
                "GET " + X1 + "/events?encoding=base64",
                event("0:0", "start", "{\"exec_id\":\"x1\"}"),
                event("notice", "{\"message\":\"made again\"}"),
                output("stdout", 0, "out".getBytes(UTF_8)),
                output("stderr", 0, "err".getBytes(UTF_8)),
                event("end", "{\"end_reason\":\"exited\",\"exit_code\":9}"));
        var ended = hermit("sandbox", "logs", "--follow", "x1");
        assertThat(ended.code()).isEqualTo(9);
        assertThat(ended.out()).isEqualTo("out");
        assertThat(ended.err()).isEqualTo("hermit: made again\nerr");
        assertThat(gateway.last().headers()).containsEntry("Last-event-id", "0:0");
    }

    @Test
    void followed_logs_go_on_behind_what_came_when_the_stream_breaks() {
        var tries = new AtomicInteger();
        gateway.on("GET " + X1 + "/events?encoding=base64", exchange -> {
            var id = exchange.getRequestHeaders().getFirst("Last-Event-ID");
            FakeGateway.send(
                    exchange,
                    200,
                    "text/event-stream",
                    switch (tries.incrementAndGet()) {
                        case 1 ->
                            id.equals("2:0")
                                    ? event("notice", "{\"message\":\"once\"}")
                                            + "id: 3:0\n"
                                            + output("stdout", 2, "c".getBytes(UTF_8))
                                    : "";
                        case 2 ->
                            id.equals("3:0")
                                    ? event("notice", "{\"message\":\"once\"}")
                                            + event("13:0", "resync", "{\"stream\":\"stdout\",\"offset\":13}")
                                    : "";
                        default ->
                            id.equals("13:0")
                                    ? output("stdout", 13, "n".getBytes(UTF_8))
                                            + event("end", "{\"end_reason\":\"exited\",\"exit_code\":0}")
                                    : "";
                    });
        });
        var ended = hermit("sandbox", "logs", "-f", "--since-offset", "2", "x1");
        assertThat(ended.code()).isZero();
        assertThat(ended.out()).isEqualTo("cn");
        assertThat(ended.err()).containsOnlyOnce("once").contains("10 bytes of stdout are missing here");
    }

    @Test
    void followed_logs_of_nothing_are_125_and_others_are_1() {
        assertThat(hermit("sandbox", "logs", "--follow", "x1").code()).isEqualTo(125);
        assertThat(hermit("sandbox", "logs", "x1").code()).isEqualTo(1);
    }

    @Test
    void kill_waits_and_says_how_it_ended() {
        gateway.on("DELETE " + X1, 202, "{}")
                .on("GET " + X1, 200, "{\"state\":\"running\"}")
                .on(
                        "GET " + X1 + "?wait_ms=30000",
                        200,
                        "{\"state\":\"ended\",\"end_reason\":\"cancelled\",\"exit_code\":143}");
        var ended = hermit("sandbox", "kill", "x1");
        assertThat(ended.code()).isZero();
        assertThat(ended.out()).isEqualTo("Command x1 ended: cancelled 143\n");
    }

    @Test
    void kill_sends_the_signal_that_it_is_told_to() {
        gateway.on("POST " + X1 + "/signal", 204, "").on("GET " + X1, 200, "{\"state\":\"running\"}");
        var ended = hermit("sandbox", "kill", "x1", "--signal", "USR1", "--no-wait");
        assertThat(ended.out()).isEqualTo("Command x1 has been sent USR1\n");
        assertThat(gateway.asked().getFirst().body().toString()).isEqualTo("{\"signal\":\"USR1\"}");
        assertThat(gateway.asked()).extracting(FakeGateway.Asked::method).containsExactly("POST", "GET");
    }

    @Test
    void kill_of_what_is_not_there_is_refused() {
        assertThat(hermit("sandbox", "kill", "x1").code()).isEqualTo(1);
    }
}
