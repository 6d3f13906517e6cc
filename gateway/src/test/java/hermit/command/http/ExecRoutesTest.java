package hermit.command.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import hermit.TestGateway;
import hermit.api.ApiJson;
import hermit.exec.ExecId;
import hermit.exec.Exit;
import hermit.exec.FakeProvider;
import hermit.http.Raw;
import hermit.http.TestClient;
import hermit.http.TestClient.Answer;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class ExecRoutesTest {
    private static final String EXECS = "/api/agents/main/sandboxes/default/execs";

    private final TestGateway gateway = new TestGateway();

    @BeforeEach
    void an_agent_with_a_docker_sandbox() {
        gateway.client.post("/api/agents", Map.of("id", "main"));
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void a_command_answers_with_its_streams_its_code_and_its_limits() {
        var answer = run(Map.of("command", "echo out; err oops; exit 3", "timeout_ms", 1_000));
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.object())
                .containsEntry("state", "ended")
                .containsEntry("caller", "admin")
                .containsEntry("command", "echo out; err oops; exit 3")
                .containsEntry("argv", null)
                .containsEntry("cwd", "/root")
                .containsEntry("timeout_ms", 1_000)
                .containsEntry("stdout", "out\n")
                .containsEntry("stderr", "oops\n")
                .containsEntry("exit_code", 3)
                .containsEntry("end_reason", "exited")
                .containsEntry("signal", null)
                .containsEntry("timed_out", false)
                .containsEntry("duration_ms", 5)
                .containsEntry("stdout_truncated", false)
                .containsEntry("stdout_dropped_bytes", 0)
                .containsEntry("stderr_truncated", false)
                .containsEntry("sandbox_generation", 1)
                .containsEntry("notes", List.of())
                .containsEntry("error", null);
        assertThat(answer.object().get("exec_id")).asString().hasSize(36);
    }

    @Test
    void output_that_is_not_kept_any_more_is_said_to_be_gone_wherever_it_is_asked_for() throws Exception {
        Object id =
                run(Map.of("command", "echo out; err oops; exit 3")).object().get("exec_id");
        gateway.keepOutputTo(0);
        var answer = gateway.client.get(EXECS + "/" + id);
        assertThat(answer.object())
                .containsEntry("exit_code", 3)
                .containsEntry("stdout", "")
                .containsEntry("stdout_bytes", 4)
                .containsEntry("stdout_truncated", true)
                .containsEntry("stdout_dropped_bytes", 4)
                .containsEntry("stderr_dropped_bytes", 5);
        assertThat(answer.object().get("notes")).asString().contains("its output is not kept any more");
        assertThat(gateway.client.get(EXECS).object().get("items")).asString().contains("its output is not kept");
        assertThat(gateway.client.get(EXECS + "/" + id + "/events").text())
                .contains("its output is not kept any more")
                .contains("event: resync")
                .contains("\"stream\":\"stdout\",\"offset\":4")
                .contains("\"exit_code\":3");
    }

    @Test
    void characters_stay_whole_however_their_bytes_arrive_and_wherever_the_answer_is_cut() {
        String text = "€漢😀";
        String hex = HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
        assertThat(run(Map.of("command", "bytes " + hex)).object()).containsEntry("stdout", text);
        assertThat(run(Map.of("command", "bytes " + hex, "max_output_bytes", 5)).object())
                .containsEntry("stdout", "€")
                .containsEntry("stdout_truncated", true)
                .containsEntry("stdout_dropped_bytes", 7)
                .containsEntry("stdout_next_offset", 3);
        assertThat(stream(Map.of("command", "bytes " + hex)))
                .contains("\"data\":\"€漢😀\"")
                .doesNotContain("\ufffd");
    }

    @Test
    void bytes_that_are_no_text_are_replaced_or_travel_exactly_as_asked() {
        var replaced = run(Map.of("command", "bytes 61ff62e282"));
        assertThat(replaced.status()).isEqualTo(200);
        assertThat(replaced.object()).containsEntry("stdout", "a\ufffdb\ufffd").containsEntry("encoding", "utf8");
        var exact = run(Map.of("command", "bytes 61ff62e282", "encoding", "base64"));
        byte[] bytes = Base64.getDecoder().decode(String.valueOf(exact.object().get("stdout")));
        assertThat(bytes).containsExactly(0x61, 0xff, 0x62, 0xe2, 0x82);
        assertThat(stream(Map.of("command", "bytes ff", "encoding", "base64")))
                .contains("{\"data\":\"/w==\",\"encoding\":\"base64\",\"offset\":0}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}|command",
                "{\"command\":\"\"}|command",
                "{\"command\":\"  \"}|command",
                "{\"command\":null}|command",
                "{\"command\":5}|command",
                "{\"command\":\"a\\u0000b\"}|command",
                "{\"argv\":[]}|argv",
                "{\"argv\":\"ls\"}|argv",
                "{\"argv\":[\"ls\",5]}|argv[1]",
                "{\"command\":\"ls\",\"argv\":[\"ls\"]}|command",
                "{\"command\":\"ls\",\"timeout_ms\":0}|timeout_ms",
                "{\"command\":\"ls\",\"timeout_ms\":\"5\"}|timeout_ms",
                "{\"command\":\"ls\",\"env\":{\"A B\":\"x\"}}|env.A B",
                "{\"command\":\"ls\",\"encoding\":\"latin1\"}|encoding",
                "{\"command\":\"ls\",\"stdin\":\"!\",\"stdin_encoding\":\"base64\"}|stdin",
                "{\"command\":\"ls\",\"cancel_on_disconnect\":true}|cancel_on_disconnect",
                "{\"command\":\"ls\",\"tiemout_ms\":5}|tiemout_ms"
            })
    void what_is_wrong_is_named_and_nothing_is_run(String body, String path) {
        var answer = gateway.client.send("POST", EXECS, body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.paths()).containsExactly(path);
        assertThat(gateway.docker.ensures).hasValue(0);
    }

    @Test
    void a_large_script_runs_and_one_that_is_too_large_is_413_with_the_limit() {
        String script = "echo " + "x".repeat(300_000);
        assertThat(run(Map.of("command", script)).object()).containsEntry("stdout_bytes", 300_001);
        var tooLarge = run(Map.of("command", "x".repeat((1 << 20) + 1)));
        assertThat(tooLarge.status()).isEqualTo(413);
        assertThat(tooLarge.text()).contains("1048576");
        var input = "y".repeat(8 << 20);
        assertThat(run(Map.of("command", "true", "stdin", input)).status()).isEqualTo(200);
        assertThat(run(Map.of("command", "true", "stdin", input + "y")).status())
                .isEqualTo(413);
        assertThat(run(Map.of("command", "true", "stdin", "\n".repeat(21 << 20)))
                        .status())
                .isEqualTo(413);
    }

    @Test
    void what_keeps_a_command_from_running_is_a_status() {
        assertThat(run(Map.of("command", "true", "cwd", "missing")).code()).isEqualTo("cwd_not_found");
        gateway.docker.down = true;
        assertThat(run(Map.of("command", "true")).code()).isEqualTo("backend_unavailable");
        var streamed = gateway.client.send(streamed("{\"command\":\"true\"}"));
        assertThat(streamed.status()).isEqualTo(503);
        assertThat(streamed.header("Content-Type")).isEqualTo("application/problem+json");
        gateway.docker.down = false;
        assertThat(run(Map.of("command", "true")).status()).isEqualTo(200);
        assertThat(gateway.client
                        .post("/api/agents/nobody/sandboxes/default/execs", Map.of("command", "true"))
                        .code())
                .isEqualTo("not_found");
        gateway.client.send("POST", "/api/agents", "{\"id\":\"bare\",\"sandbox\":null}");
        assertThat(gateway.client
                        .post("/api/agents/bare/sandboxes/default/execs", Map.of("command", "true"))
                        .code())
                .isEqualTo("no_sandbox");
    }

    @Test
    void a_stream_tells_start_output_and_end_in_this_order() {
        String events = stream(Map.of("command", "echo one; err two; echo three; exit 4"));
        assertThat(events.replaceAll("(?m)^data: .*\\R", "").replaceAll("\\R", " "))
                .startsWith("id: 0:0 event: start ")
                .endsWith("id: 10:4 event: end  ");
        assertThat(events.lines().skip(2).findFirst().orElseThrow())
                .contains("\"state\":\"running\"")
                .contains("\"exit_code\":null");
        assertThat(events)
                .contains("event: stderr\ndata: {\"data\":\"two\\n\",\"encoding\":\"utf8\",\"offset\":0}")
                .contains("three")
                .contains("\"exit_code\":4");
    }

    /// More than the gateway holds of a stream for those who come late.
    private static final int FLOOD = 3 << 20;

    @Test
    void a_stream_misses_nothing_of_what_is_printed_before_its_reader_is_there() throws Exception {
        String events = stream(Map.of("command", "flood " + FLOOD + "; exit 4"));
        assertThat(events).doesNotContain("event: resync").contains("\"exit_code\":4");
        var told = stdout(events);
        assertThat(told.keySet()).containsExactly(0);
        assertThat(told.get(0)).isEqualTo(FakeProvider.flood(FLOOD));
    }

    /// Nobody can know whether such a reader comes at all.
    @Test
    void a_background_command_does_not_wait_for_a_reader_who_is_told_what_is_missing() throws Exception {
        var accepted = run(Map.of("command", "flood " + FLOOD + "; hang", "background", true));
        String printed = FakeProvider.flood(FLOOD);
        String events;
        try (var reader = new Raw(gateway.port())) {
            reader.send(Raw.request(
                    "GET " + accepted.header("Location") + "/events", "Authorization: Bearer " + TestClient.TOKEN));
            reader.readUntil("event: start\n");
            finish(accepted, new Exit.Exited(0));
            events = reader.readToEnd();
        }
        int kept = 256 << 10; // of the beginning, unless it was asked for more
        int late = FLOOD - (1 << 20); // the newest MiB is held for readers
        assertThat(events).containsOnlyOnce("event: resync\ndata: {\"stream\":\"stdout\",\"offset\":" + late + "}");
        var told = stdout(events);
        assertThat(told.keySet()).containsExactly(0, late);
        assertThat(told.get(0)).isEqualTo(printed.substring(0, kept));
        assertThat(told.get(late)).isEqualTo(printed.substring(late));
    }

    @Test
    void a_recreated_sandbox_is_noticed_in_the_answer_and_in_the_stream() {
        run(Map.of("command", "true"));
        lose();
        assertThat(String.valueOf(run(Map.of("command", "true")).object().get("notes")))
                .contains("created anew");
        lose();
        assertThat(stream(Map.of("command", "true")))
                .contains("event: notice\ndata: {\"message\":\"the sandbox had to be created anew\"}");
    }

    @Test
    void a_background_command_is_followed_by_its_id() {
        var accepted = run(Map.of("command", "echo first; hang", "background", true));
        assertThat(accepted.status()).isEqualTo(202);
        assertThat(accepted.object())
                .containsEntry("state", "running")
                .containsEntry("timeout_ms", null)
                .containsEntry("background", true);
        String path = accepted.header("Location");
        assertThat(path).isEqualTo(EXECS + "/" + accepted.object().get("exec_id"));
        assertThat(gateway.client.get(path).object())
                .containsEntry("stdout", "first\n")
                .containsEntry("stdout_next_offset", 6)
                .containsEntry("exit_code", null);
        assertThat(gateway.client.get(path + "?stdout_offset=3").object())
                .containsEntry("stdout", "st\n")
                .containsEntry("stdout_offset", 3);
        finish(accepted, new Exit.Signaled(9));
        assertThat(gateway.client.get(path + "?wait_ms=60000&stdout_offset=6").object())
                .containsEntry("state", "ended")
                .containsEntry("end_reason", "signaled")
                .containsEntry("signal", "SIGKILL")
                .containsEntry("exit_code", 137)
                .containsEntry("stdout", "");
        assertThat(gateway.client.get(path + "?stdout_offset=-1").paths()).containsExactly("stdout_offset");
        assertThat(gateway.client.get(path + "?wait_ms=60001").paths()).containsExactly("wait_ms");
        assertThat(gateway.client.get(EXECS + "/x").status()).isEqualTo(404);
        assertThat(gateway.client.get(EXECS + "/" + new UUID(1, 1)).status()).isEqualTo(404);
    }

    @Test
    void deleting_a_command_cancels_it_and_does_nothing_to_one_that_has_ended() {
        var accepted = run(Map.of("command", "hang", "background", true));
        String path = accepted.header("Location");
        assertThat(gateway.client.delete(path).status()).isEqualTo(202);
        assertThat(gateway.client.get(path + "?wait_ms=60000").object())
                .containsEntry("end_reason", "cancelled")
                .containsEntry("exit_code", 143);
        assertThat(gateway.client.delete(path).status()).isEqualTo(200);
    }

    @Test
    void events_can_be_read_later_and_from_where_a_reader_stopped() {
        var accepted = run(Map.of("command", "echo one; err two; hang", "background", true));
        String path = accepted.header("Location") + "/events";
        try (var reader = new Raw(gateway.port())) {
            reader.send(Raw.request("GET " + path, "Authorization: Bearer " + TestClient.TOKEN));
            reader.readUntil("event: start\n");
            reader.readUntil("\"two\\n\"");
            finish(accepted, new Exit.Exited(0));
            assertThat(reader.readToEnd()).contains("event: end");
        }
        gateway.client.get(accepted.header("Location") + "?wait_ms=60000");
        assertThat(gateway.client.get(path).text())
                .contains("event: start")
                .contains("one\\n")
                .contains("two\\n")
                .contains("event: end");
        var resumed = gateway.client.send(gateway.client.request(path).header("Last-Event-ID", "4:2"));
        assertThat(resumed.text())
                .doesNotContain("event: start")
                .doesNotContain("event: stdout")
                .contains("{\"data\":\"o\\n\",\"encoding\":\"utf8\",\"offset\":2}")
                .contains("event: end");
        var bad = gateway.client.send(gateway.client.request(path).header("Last-Event-ID", "x"));
        assertThat(bad.paths()).containsExactly("Last-Event-ID");
        assertThat(gateway.client.get(EXECS + "/" + new UUID(1, 1) + "/events").status())
                .isEqualTo(404);
    }

    @Test
    void output_that_is_not_kept_any_more_is_one_resync() {
        var ended = run(Map.of("command", "echo 0123456789", "max_output_bytes", 4));
        String path = EXECS + "/" + ended.object().get("exec_id") + "/events";
        assertThat(gateway.client.get(path).text())
                .contains("\"data\":\"0123\"")
                .contains("event: resync\ndata: {\"stream\":\"stdout\",\"offset\":11}");
    }

    @Test
    void a_reader_that_goes_away_cancels_only_what_it_asked_to_cancel() {
        var careful = openStream("{\"command\":\"echo x; hang\",\"cancel_on_disconnect\":true}");
        var careless = openStream("{\"command\":\"echo x; hang\"}");
        for (Raw each : List.of(careful, careless)) each.reset();
        // Heartbeats find out; the write after a reset may still succeed, so one is not enough.
        while (gateway.client.get(EXECS).items().stream().noneMatch(each -> "cancelled".equals(each.get("end_reason"))))
            gateway.time.advance(Duration.ofSeconds(15));
        var states = new HashSet<Object>();
        gateway.client.get(EXECS).items().forEach(each -> states.add(each.get("state")));
        assertThat(states).containsExactlyInAnyOrder("running", "ended");
    }

    @Test
    void a_repeated_key_is_the_same_command_and_another_request_a_conflict() {
        var body = Map.of("command", "echo once", "idempotency_key", "k1");
        var first = run(body);
        var again = gateway.client.send("POST", EXECS, "{ \"idempotency_key\":\"k1\",  \"command\":\"echo once\" }");
        assertThat(again.object()).isEqualTo(first.object());
        assertThat(gateway.docker.started).hasSize(1);
        assertThat(stream(body)).contains("once").contains("event: end");
        assertThat(run(Map.of("command", "echo twice", "idempotency_key", "k1")).code())
                .isEqualTo("conflict");
    }

    @Test
    void input_and_signals_reach_a_running_command() {
        var accepted = run(Map.of("command", "hang", "background", true, "stdin_open", true));
        String path = accepted.header("Location");
        assertThat(gateway.client
                        .post(path + "/stdin", Map.of("data", "hello", "close", true))
                        .status())
                .isEqualTo(204);
        assertThat(gateway.client.post(path + "/stdin", Map.of("data", 5)).paths())
                .containsExactly("data");
        assertThat(gateway.client
                        .post(path + "/signal", Map.of("signal", "NOPE"))
                        .paths())
                .containsExactly("signal");
        assertThat(gateway.client.post(path + "/signal", Map.of()).paths()).contains("signal");
        assertThat(gateway.client
                        .post(path + "/signal", Map.of("signal", "SIGTERM"))
                        .status())
                .isEqualTo(204);
        assertThat(gateway.client.get(path + "?wait_ms=60000").object()).containsEntry("signal", "SIGTERM");
        assertThat(gateway.client.post(path + "/signal", Map.of("signal", 9)).code())
                .isEqualTo("conflict");
        assertThat(gateway.client.post(path + "/stdin", Map.of("data", "x")).code())
                .isEqualTo("conflict");
    }

    @Test
    void commands_are_listed_newest_first_without_their_output() {
        for (int i = 0; i < 3; i++) {
            run(Map.of("command", "echo secret-" + i));
            gateway.time.advance(Duration.ofMillis(1));
        }
        var page = gateway.client.get(EXECS + "?limit=2");
        assertThat(page.items())
                .extracting(each -> each.get("command"))
                .containsExactly("echo secret-2", "echo secret-1");
        assertThat(page.items().getFirst()).doesNotContainKey("stdout");
        var last = gateway.client.get(EXECS + "?limit=2&cursor=" + page.object().get("next_cursor"));
        assertThat(last.items()).hasSize(1);
        assertThat(last.object()).containsEntry("next_cursor", null);
    }

    @Test
    void commands_that_have_not_ended_are_listed_alone_when_asked_for() {
        run(Map.of("command", "hang", "background", true));
        run(Map.of("command", "exit 1"));
        assertThat(gateway.client.get(EXECS + "?open=true").items())
                .extracting(each -> each.get("command"))
                .containsExactly("hang");
        assertThat(gateway.client.get(EXECS + "?open=false").items()).hasSize(2);
        assertThat(gateway.client.get(EXECS + "?open=maybe").paths()).contains("open");
    }

    @Test
    void figures_tell_how_commands_ended() {
        run(Map.of("command", "exit 1"));
        run(Map.of("command", "hang", "background", true));
        assertThat(gateway.client.get("/metrics").text())
                .contains("hermit_execs_seconds_count{end_reason=\"exited\"} 1")
                .contains("hermit_execs_running 1")
                .contains("hermit_http_requests_seconds_bucket{method=\"POST\",route=\""
                        + EXECS.replace("main", "{id}").replace("default", "{alias}"))
                .contains("jvm_memory_used_bytes");
    }

    /// The text of stdout in a stream of events, in runs without a gap, each under the offset where it begins.
    private static SortedMap<Integer, String> stdout(String events) throws JsonProcessingException {
        var runs = new TreeMap<Integer, StringBuilder>();
        int next = -1;
        for (String event : events.split("event: stdout\ndata: ", -1)) {
            if (!event.startsWith("{\"data\"")) continue;
            var piece = ApiJson.mapper().readTree(event.substring(0, event.indexOf('\n')));
            int offset = piece.get("offset").asInt();
            if (offset != next) runs.put(offset, new StringBuilder());
            String text = piece.get("data").asText();
            runs.lastEntry().getValue().append(text);
            next = offset + text.length();
        }
        var texts = new TreeMap<Integer, String>();
        runs.forEach((offset, text) -> texts.put(offset, text.toString()));
        return texts;
    }

    private Raw openStream(String body) {
        var raw = new Raw(gateway.port());
        raw.send(Raw.request(
                        "POST " + EXECS,
                        "Authorization: Bearer " + TestClient.TOKEN,
                        "Accept: text/event-stream",
                        "Content-Type: application/json",
                        "Content-Length: " + body.length())
                + body);
        raw.readUntil("\"x\\n\"");
        return raw;
    }

    private void lose() {
        gateway.docker.lose(UUID.fromString(String.valueOf(gateway.client
                .get("/api/agents/main/sandboxes/default")
                .object()
                .get("id"))));
    }

    private void finish(Answer accepted, Exit exit) {
        var sandbox = UUID.fromString(String.valueOf(gateway.client
                .get("/api/agents/main/sandboxes/default")
                .object()
                .get("id")));
        var id = ExecId.parse(String.valueOf(accepted.object().get("exec_id"))).orElseThrow();
        gateway.docker.finish(sandbox, id, exit);
    }

    private HttpRequest.Builder streamed(String body) {
        return gateway.client
                .request(EXECS)
                .header("Accept", "text/event-stream")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body));
    }

    private String stream(Map<String, ?> body) {
        try {
            return gateway.client
                    .send(streamed(ApiJson.mapper().writeValueAsString(body)))
                    .text();
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private Answer run(Map<String, ?> body) {
        return gateway.client.post(EXECS, body);
    }
}
