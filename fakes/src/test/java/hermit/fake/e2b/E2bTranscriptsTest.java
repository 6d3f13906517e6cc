package hermit.fake.e2b;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.fake.e2b.Transcript.Answered;
import hermit.fake.e2b.Transcript.Frame;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The fake answers what was recorded with the official SDK against the real daemon as it was answered there: status,
/// content type, the shape of JSON, events and their bytes.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class E2bTranscriptsTest {
    private static final String RUNNING = "isandbox000000000001";
    private static final String PAUSED = "isandboxpaused000001";
    /// What the provider says and the fake does not.
    private static final Set<String> LEFT_OUT = Set.of("volumeMounts", "domain", "network", "allowInternetAccess");

    private static E2bFake fake;
    private static final Map<String, String> names = new HashMap<>();

    @BeforeAll
    static void start() {
        fake = E2bFake.start(E2bFake.Settings.of("hermit-base:bookworm").withLongestHours(1));
    }

    @AfterAll
    static void stop() {
        fake.close();
    }

    /// A running sandbox and a paused one, with the files that the recorded ones had.
    private static void prepare(String name) throws Exception {
        for (String id : fake.byHand().ids())
            if (!names.containsValue(id)) fake.byHand().delete(id);
        for (String recorded : List.of(RUNNING, PAUSED)) {
            String id = names.getOrDefault(recorded, "none");
            var state = fake.byHand().state(id);
            if (state.isEmpty()) names.put(recorded, create());
            else if (state.get().equals("paused") && recorded.equals(RUNNING)) resume(id);
        }
        if (fake.byHand().state(there(PAUSED)).equals(Optional.of("running")))
            fake.byHand().pause(there(PAUSED));
        names.put("envd_test_token", "envd_" + there(RUNNING));
        names.put("e2b_test_key", E2bFake.Settings.API_KEY);
        if (!name.matches("(files|filesystem|raw)_.*")) return;
        fake.byHand()
                .shell(
                        there(RUNNING),
                        "cd /home/user && rm -rf tree dir sub* *.bin *.txt /tmp/f1.txt && mkdir -p dir tree/x &&"
                                + " printf hello >dir/a.txt && printf 0123456789 >r.txt && printf abc >tree/x/f &&"
                                + " chmod 600 tree/x/f && chown -R user: dir tree r.txt");
        if (name.equals("filesystem_make_dir_exists")) fake.byHand().shell(there(RUNNING), "mkdir /home/user/tree/x/y");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("recorded")
    void the_answer_is_the_recorded_one(String name) throws Exception {
        var transcript = Transcript.read(name);
        prepare(name);
        var got = new Replay(fake.address(), names(name)).all(transcript);
        for (int i = 0; i < got.size(); i++)
            compare(transcript.exchanges().get(i).response(), got.get(i));
    }

    private static String there(String recorded) {
        return names.getOrDefault(recorded, "none");
    }

    static Stream<String> recorded() {
        return TRANSCRIPTS.lines().flatMap(line -> Stream.of(line.split(" "))).filter(name -> !name.isEmpty());
    }

    private static Map<String, String> names(String name) {
        if (name.startsWith("dead_")) return Map.of();
        var all = new HashMap<>(names);
        if (name.equals("error_401_unauthorized")) all.put("e2b_test_key", "e2b_wrong");
        return all;
    }

    private static void compare(Answered recorded, Replay.Got got) throws Exception {
        assertThat(got.status()).as(got.body()).isEqualTo(recorded.status());
        String type = recorded.headers().getOrDefault("content-type", "");
        assertThat(got.headers().getOrDefault("content-type", "")).isEqualTo(type);
        for (String name : List.of("x-total-running", "cache-control", "allow", "content-disposition"))
            if (recorded.headers().containsKey(name)) assertThat(got.headers()).containsKey(name);
        assertThat(got.headers().containsKey("x-next-token"))
                .isEqualTo(recorded.headers().containsKey("x-next-token"));
        if (recorded.frames().isPresent()) {
            assertThat(events(got.frames())).isEqualTo(events(recorded.frames().get()));
        } else if (recorded.body().startsWith("{") || recorded.body().startsWith("[")) {
            assertThat(shape(Transcript.parse(got.body()), "")).isEqualTo(shape(Transcript.parse(recorded.body()), ""));
        } else {
            assertThat(got.body()).isEqualTo(recorded.body());
        }
    }

    /// Kinds of events in order, with the bytes of each stream put together: how they were cut is chance, as is the
    /// order of the two streams.
    private static List<String> events(List<Frame> frames) throws Exception {
        var events = new ArrayList<String>();
        var bytes = new TreeMap<String, ByteArrayOutputStream>();
        for (var frame : frames) {
            JsonNode event = frame.message().path("event");
            if (event.has("data")) {
                for (var each : event.path("data").properties())
                    bytes.computeIfAbsent(each.getKey(), _ -> new ByteArrayOutputStream())
                            .write(Base64.getDecoder().decode(each.getValue().asText()));
                continue;
            }
            events.add(frame.flags() + " " + frame.message().toString().replaceAll("\"pid\":[0-9]+", "\"pid\":1"));
        }
        bytes.forEach(
                (stream, all) -> events.add(stream + " " + Base64.getEncoder().encodeToString(all.toByteArray())));
        return events;
    }

    /// Names and types of all values, and the values themselves where they do not depend on the day.
    private static Set<String> shape(JsonNode node, String path) {
        var shape = new TreeSet<String>();
        if (node.isObject()) {
            for (var each : node.properties())
                if (!LEFT_OUT.contains(each.getKey()))
                    // Keys of metadata are the client's own.
                    shape.addAll(
                            shape(each.getValue(), path.endsWith("/metadata") ? path : path + "/" + each.getKey()));
        } else if (node.isArray()) {
            for (var each : node) shape.addAll(shape(each, path + "[]"));
        } else {
            shape.add("%s %s%s".formatted(path, node.getNodeType(), exact(path) ? " " + node.asText() : ""));
        }
        return shape;
    }

    private static boolean exact(String path) {
        return Stream.of(
                                "/code",
                                "/entry/name",
                                "/entry/path",
                                "/entry/type",
                                "/entry/mode",
                                "/entry/permissions",
                                "/entry/owner",
                                "[]/name",
                                "[]/path",
                                "[]/type",
                                "/onTimeout")
                        .anyMatch(path::endsWith)
                || path.equals("/message");
    }

    private static String create() throws Exception {
        var answer = send(
                "POST",
                "/v2/sandboxes",
                "{\"templateID\":\"base\",\"autoPause\":true,\"timeout\":3600,"
                        + "\"metadata\":{\"owner\":\"java\",\"owner name\":\"a b&c\",\"purpose\":\"x=y\"},"
                        + "\"envVars\":{\"FROM_CREATE\":\"1\"}}");
        return Transcript.parse(answer).path("sandboxID").asText();
    }

    private static void resume(String id) throws Exception {
        send("POST", "/v2/sandboxes/%s/connect".formatted(id), "{\"timeout\":3600}");
    }

    private static String send(String method, String path, String body) throws Exception {
        var asked = new Transcript.Asked(
                method,
                path,
                Map.of("x-api-key", E2bFake.Settings.API_KEY, "content-type", "application/json"),
                body.getBytes(StandardCharsets.UTF_8));
        var exchange = new Transcript.Exchange(asked, new Answered(0, Map.of(), "", Optional.empty()));
        var got = new Replay(fake.address(), Map.of())
                .all(new Transcript("made", List.of(exchange)))
                .getFirst();
        assertThat(got.status()).as(got.body()).isBetween(200, 201);
        return got.body();
    }

    private static final String TRANSCRIPTS = """
        dead_files_read_502 dead_health_502 dead_process_list_502 dead_process_start_502
        dead_stat_502 envd_health_running error_400_timeout_too_long error_401_unauthorized
        error_404_template files_read_bad_access_token files_read_directory files_read_not_found
        files_read_unknown_user files_write_empty files_write_multipart_many
        files_write_multipart_one files_write_octet_stream files_write_octet_stream_gzip
        files_write_old_envd files_write_to_directory_path filesystem_exists_false
        filesystem_exists_true filesystem_list_file filesystem_list_not_found
        filesystem_list_unknown_user filesystem_make_dir filesystem_make_dir_exists
        filesystem_make_dir_over_file filesystem_move filesystem_move_not_found filesystem_remove
        filesystem_remove_missing filesystem_stat_file filesystem_stat_not_found
        process_connect_after_exit process_connect_not_found process_kill process_kill_not_found
        process_list process_list_bad_access_token process_list_empty process_send_stdin_not_found
        process_send_stdin_without_stdin process_start_bad_access_token
        process_start_command_not_found process_start_cwd_missing process_start_exit_code_3
        process_start_full_options process_start_killed_by_signal_inside
        process_start_stdout_stderr process_start_unknown_user process_start_utf8_and_binary
        process_stdin_roundtrip raw_close_stdin_twice raw_files_json_content_type
        raw_files_no_accept_encoding raw_files_octet_without_path raw_get_on_rpc
        raw_missing_token raw_process_signal_number
        raw_process_sigterm_by_name raw_process_start_keepalive_1s
        raw_process_start_server_side_deadline raw_stat_tilde
        raw_unary_content_type_on_stream_method raw_unknown_field_in_json raw_unknown_method
        raw_wrong_content_type sandbox_connect_default_timeout sandbox_connect_not_found
        sandbox_connect_resumed_paused sandbox_connect_running sandbox_create_autopause
        sandbox_create_minimal sandbox_get_info_not_found sandbox_get_info_paused
        sandbox_get_info_running sandbox_kill sandbox_kill_not_found sandbox_list_default
        sandbox_list_filters sandbox_list_pages sandbox_pause sandbox_pause_already_paused
        sandbox_pause_filesystem_only sandbox_pause_not_found sandbox_set_timeout
        sandbox_set_timeout_not_found
        """;
}
