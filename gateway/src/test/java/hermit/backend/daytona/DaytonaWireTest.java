package hermit.backend.daytona;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import hermit.backend.cloud.CloudMachine;
import hermit.backend.cloud.Marks;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import hermit.fake.Journal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// Our requests are those that were recorded of the provider's own SDK, or differ from them in what is said
/// here.
@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DaytonaWireTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String RECORDED_ID = "6f0c1f5e-3d1b-4d2a-9f57-0d8f2b6f1a10";

    private final DaytonaFixture fixture = DaytonaFixture.start();
    private final DaytonaClient client = fixture.client();
    private final MachineSpec spec = DaytonaFixture.spec(DaytonaFixture.config(Map.of(
            "snapshot",
            "my-snapshot",
            "auto_stop_interval_minutes",
            60,
            "env",
            Map.of("FOO", "bar", "EMPTY", ""),
            "labels",
            Map.of("team", "core"))));
    private CloudMachine machine;

    @BeforeAll
    void make() throws Exception {
        machine = client.create(spec, Marks.of(fixture.instance, spec, 1), Progress.NONE);
    }

    @AfterAll
    void stop() {
        client.close();
        fixture.close();
    }

    @Test
    void create_from_a_snapshot() throws Exception {
        var ours = last("POST", "/api/sandbox");
        var theirs = recorded("create-from-snapshot");
        same(ours, theirs);
        var body = JSON.readTree(ours.body());
        // Volumes, the network and the later intervals are no part of a config; what is left out has the provider's
        // default.
        assertThat(names(body))
                .containsExactlyInAnyOrder("name", "snapshot", "user", "env", "labels", "target", "autoStopInterval");
        assertThat(names(body))
                .isSubsetOf(names(JSON.readTree(theirs.path("bodyText").asText())));
        var their = JSON.readTree(theirs.path("bodyText").asText());
        for (String key : List.of("snapshot", "user", "env", "autoStopInterval"))
            assertThat(body.get(key)).as(key).isEqualTo(their.get(key));
        assertThat(body.get("target").asText()).isEqualTo("eu");
        assertThat(body.get("name").asText())
                .isEqualTo(
                        "hermit-main-default-%s-1", spec.sandboxId().toString().substring(0, 8));
        // The SDK says for its own runs of code which language is meant; we run none.
        assertThat(names(body.get("labels")))
                .containsExactlyInAnyOrder("team", Marks.INSTANCE, Marks.AGENT, Marks.SANDBOX, Marks.GENERATION);
    }

    @Test
    void create_from_an_image() throws Exception {
        var config = DaytonaFixture.config(
                Map.of("image", "python:3.12-slim", "resources", Map.of("cpu", 2, "memory", 4, "disk", 8)));
        var body = NewSandbox.body(spec, Marks.of(fixture.instance, spec, 1), config, java.util.Optional.empty());
        var their = JSON.readTree(recorded("create-from-image").path("bodyText").asText());
        for (String key : List.of("buildInfo", "cpu", "memory", "disk"))
            assertThat(body.get(key)).as(key).isEqualTo(their.get(key));
        assertThat(body.has("snapshot")).isFalse();
        assertThat(body.has("target")).isFalse();
    }

    @Test
    void neither_snapshot_nor_image_leaves_the_choice_to_the_provider() {
        var body = NewSandbox.body(
                spec, Marks.of(fixture.instance, spec, 1), DaytonaFixture.config(Map.of()), java.util.Optional.empty());
        assertThat(names(body)).containsExactlyInAnyOrder("name", "user", "env", "labels", "autoStopInterval");
    }

    @Test
    void look_list_and_keep_alive() throws Exception {
        client.find(machine.id());
        same(last("GET", "/api/sandbox/" + machine.id()), recorded("get-by-id"));
        client.list(java.util.Optional.empty());
        var list = last("GET", "/api/sandbox");
        assertThat(list.path())
                .isEqualTo(
                        "/api/sandbox?limit=200&labels=%7B%22hermit-instance%22%3A%22" + fixture.instance + "%22%7D");
        client.prolong(machine.id(), spec.config());
        var touch = last("POST", "/last-activity");
        same(touch, recorded("refresh-activity"));
        assertThat(touch.body())
                .isEqualTo(recorded("refresh-activity").path("bodyText").asText());
    }

    @Test
    void stop_and_start() throws Exception {
        client.pause(machine.id());
        same(last("POST", "/stop"), recorded("stop"));
        client.resume(machine, DaytonaFixture.config(Map.of("auto_stop_interval_minutes", 0)), Progress.NONE);
        same(last("POST", "/start"), recorded("start-stopped"));
        same(last("POST", "/autostop/0"), recorded("set-autostop"));
    }

    @Test
    void recover_and_delete() throws Exception {
        var other = DaytonaFixture.spec(DaytonaFixture.config(Map.of()));
        var made = client.create(other, Marks.of(fixture.instance, other, 1), Progress.NONE);
        fixture.fake.strike(made.id(), "recoverable-error");
        client.resume(made, other.config(), Progress.NONE);
        same(last("POST", "/recover"), recorded("recover"), made.id());
        client.destroy(made.id());
        same(last("DELETE", "/api/sandbox/" + made.id()), recorded("delete"), made.id());
    }

    @Test
    void an_upload_has_the_path_before_the_file() throws Exception {
        var guest = client.guest(machine, spec.config());
        guest.upload("/home/daytona/up.txt", "hello wörld\n".getBytes(StandardCharsets.UTF_8));
        var ours = last("POST", "/files/bulk-upload");
        var theirs = recorded("fs-upload-single");
        same(ours, theirs);
        // Theirs comes in chunks, and says that it is text.
        assertThat(fields(ours.body())).isEqualTo(fields(theirs.path("bodyText").asText()));
        same(last("POST", "/files/permissions"), recorded("fs-permissions"));
    }

    @Test
    void a_program_is_run_with_its_limit_in_seconds() throws Exception {
        client.guest(machine, spec.config()).run(List.of("echo", "it's"), Duration.ofMillis(1_500));
        var ours = last("POST", "/process/execute");
        same(ours, recorded("exec-simple"));
        var body = JSON.readTree(ours.body());
        // One command of ours, with its stdin closed: otherwise it would read on in the script.
        assertThat(body.get("command").asText()).isEqualTo("exec 'echo' 'it'\\''s' </dev/null");
        assertThat(body.get("timeout").asInt()).isEqualTo(2);
        assertThat(names(JSON.readTree(
                        recorded("exec-cwd-env-timeout").path("bodyText").asText())))
                .containsAll(names(body));
    }

    @Test
    void a_terminal_is_made_and_connected_in_one() throws Exception {
        var guest = client.guest(machine, spec.config());
        guest.open(List.of("sh", "-c", "stty raw -echo; printf 'hermit-bridge%s\\n' -up; exec cat"))
                .close();
        var ours = last("GET", "/process/pty/create-connect");
        var theirs = recorded("pty-create-connect");
        assertThat(ours.path()).matches(".*\\?id=hermit-[0-9a-f]{16}&cols=80&rows=24");
        headers(ours, theirs);
        assertThat(ours.headers().get("sec-websocket-protocol"))
                .matches("X-Daytona-Pty-Envs~[A-Za-z0-9_-]+, ?X-Daytona-Pty-Exit-Control");
        assertThat(theirs.path("headers").path("sec-websocket-protocol").asText())
                .matches("X-Daytona-Pty-Envs~[A-Za-z0-9_-]+, ?X-Daytona-Pty-Exit-Control");
        while (find("DELETE", "/process/pty/").isEmpty()) fixture.scheduler.pause(Duration.ofMillis(20));
        headers(find("DELETE", "/process/pty/").getLast(), recorded("pty-kill"));
    }

    private void same(Journal.Entry ours, JsonNode theirs) {
        same(ours, theirs, machine.id());
    }

    /// Method, path and the headers that matter.
    private static void same(Journal.Entry ours, JsonNode theirs, String id) {
        assertThat(ours.method()).isEqualTo(theirs.path("method").asText());
        assertThat(ours.path().replaceFirst("\\?.*path=.*", ""))
                .isEqualTo((theirs.path("path").asText() + query(theirs)).replace(RECORDED_ID, id));
        headers(ours, theirs);
        String type = theirs.path("headers").path("content-type").asText("");
        // Where there is no body, the SDK still names the type of a form.
        if (type.startsWith("application/json") || type.startsWith("multipart/"))
            assertThat(ours.headers().get("content-type")).startsWith(type.replaceFirst(";.*", ""));
        else assertThat(ours.headers()).doesNotContainKey("content-type");
    }

    private static void headers(Journal.Entry ours, JsonNode theirs) {
        for (String each : List.of("authorization", "x-daytona-sdk-version"))
            assertThat(ours.headers().get(each))
                    .as(each)
                    .isEqualTo(theirs.path("headers").path(each).asText());
        assertThat(ours.headers().get("x-daytona-source")).isEqualTo("hermit");
        // A key belongs to one organization.
        assertThat(ours.headers()).doesNotContainKey("x-daytona-organization-id");
    }

    private static String query(JsonNode theirs) {
        String query = theirs.path("query").asText("");
        return query.isEmpty() || query.startsWith("path=") ? "" : "?" + query;
    }

    private Journal.Entry last(String method, String path) {
        return find(method, path).getLast();
    }

    private List<Journal.Entry> find(String method, String path) {
        return fixture.fake.journal().entries().stream()
                .filter(each -> each.method().equals(method)
                        && (path.endsWith("/")
                                ? each.path().contains(path)
                                : each.path().replaceFirst("\\?.*", "").endsWith(path)))
                .toList();
    }

    /// The names of a form's fields, in order.
    private static List<String> fields(String body) {
        return java.util.regex.Pattern.compile("form-data; name=\"([^\"]*)\"")
                .matcher(body)
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    private static Set<String> names(JsonNode object) {
        Set<String> names = new TreeSet<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static JsonNode recorded(String name) throws IOException {
        try (var in = DaytonaWireTest.class.getResourceAsStream("/daytona/%s.json".formatted(name))) {
            if (in == null) throw new IOException("no transcript " + name);
            var request = JSON.readTree(in).get("request");
            assertThat(request.path("bodyBase64").asText(""))
                    .satisfies(text -> Base64.getDecoder().decode(text));
            return request;
        }
    }
}
