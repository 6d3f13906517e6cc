package hermit.fake.daytona;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/// The fake answers the requests that were recorded of the SDK as the recordings say: status, type of
/// content, and the whole body but for what differs from one time to the next.
@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RecordedRequestsTest {
    /// Ids, times and addresses.
    private static final Set<String> VARYING = Set.of(
            "id",
            "cmdId",
            "createdAt",
            "updatedAt",
            "lastActivityAt",
            "timestamp",
            "toolboxProxyUrl",
            "snapshotRef",
            "modTime",
            "modifiedAt");

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private FakeDaytona fake;
    private String id = "none";

    @BeforeAll
    void start() {
        // As recorded: the answer to a create is older than the sandbox's start.
        fake = FakeDaytona.start(Settings.of("hermit-base:bookworm").withHold(Duration.ZERO));
    }

    @AfterAll
    void stop() {
        fake.close();
        client.close();
    }

    @Test
    @Order(1)
    void a_sandbox_is_created_from_a_snapshot() throws Exception {
        id = JSON.readTree(same("create-from-snapshot").body()).get("id").asText();
        await("started");
    }

    @Test
    @Order(2)
    void a_sandbox_is_created_from_an_image() throws Exception {
        // An unnamed one is called like its id.
        replay("create-from-image", "name");
    }

    @Test
    @Order(3)
    void a_sandbox_is_found_and_listed() throws Exception {
        same("get-by-id");
        same("get-by-name");
        same("get-not-found");
        var listed = JSON.readTree(
                Transcript.read("list-page-1").replay(client, origin(), id).body());
        assertThat(listed.get("items")).hasSizeBetween(1, 2);
        assertThat(names(listed.get("items").get(0)))
                .containsAll(Set.of("id", "organizationId", "state", "labels", "toolboxProxyUrl"))
                .doesNotContain("env", "volumes", "buildInfo");
    }

    @Test
    @Order(4)
    void commands_are_run() throws Exception {
        same("work-dir");
        same("user-home-dir");
        box(
                "mkdir -p ~/workspace/src; cd ~/workspace; printf 'alpha TODO one\\nbeta\\n' >a.txt;"
                        + " printf '// TODO two\\nexport const b = 2\\n' >src/b.ts; printf '\\000\\001\\002\\377\\376\\r\\n' >bin.dat");
        for (String each : new String[] {
            "exec-simple",
            "exec-cwd-env-timeout",
            "exec-empty-command",
            "exec-killed-by-signal",
            "exec-large-stdin-none",
            "exec-multiline-stdin",
            "exec-no-newline-utf8",
            "exec-timeout"
        }) same(each);
    }

    @Test
    @Order(5)
    void files_are_served() throws Exception {
        for (String each : new String[] {
            "fs-upload-single",
            "fs-upload-bulk",
            "fs-list-missing",
            "fs-list-depth",
            "fs-list",
            "fs-info",
            "fs-find",
            "fs-search",
            "fs-download-single-missing",
            "fs-download-single",
            "fs-download-bulk",
            "fs-replace",
            "raw-fs-download",
            "raw-fs-upload-v2",
            "fs-create-folder",
            "fs-move",
            "fs-move-conflict",
            "fs-delete-dir-without-recursive",
            "fs-delete-recursive",
            "fs-delete",
            "fs-permissions"
        }) same(each);
    }

    @Test
    @Order(6)
    void sessions_keep_their_state() throws Exception {
        same("session-create");
        same("session-create-duplicate");
        // The order of the two streams is not kept.
        replay("session-exec-sync", "output");
        same("session-exec-state-kept");
        same("session-delete");
        same("session-not-found");
    }

    @Test
    @Order(7)
    void settings_change() throws Exception {
        for (String each : new String[] {
            "set-labels",
            "set-autostop",
            "set-autoarchive",
            "set-autodelete",
            "refresh-activity",
            "pause-unsupported",
            "archive-not-stopped",
            "recover-not-recoverable"
        }) same(each);
    }

    @Test
    @Order(8)
    void it_stops_starts_and_goes() throws Exception {
        // The recordings changed its network and size in between.
        String[] changed = {"networkBlockAll", "cpu", "memory"};
        replay("stop", changed);
        await("stopped");
        same("toolbox-400-not-started");
        replay("start-stopped", changed);
        await("started");
        replay("stop", changed);
        await("stopped");
        replay("archive", changed);
        await("archived");
        replay("start-archived", changed);
        await("started");
        replay("delete", "networkBlockAll", "cpu", "memory", "name");
        await("destroyed");
        same("toolbox-401");
    }

    private HttpResponse<byte[]> same(String name) throws Exception {
        return replay(name);
    }

    private HttpResponse<byte[]> replay(String name, String... differing) throws Exception {
        var transcript = Transcript.read(name);
        var answer = transcript.replay(client, origin(), id);
        String body = new String(
                answer.body(),
                transcript.response().has("bodyBase64") ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8);
        assertThat(answer.statusCode()).as(name + ": " + body).isEqualTo(transcript.status());
        if (!transcript.contentType().isEmpty())
            assertThat(answer.headers().firstValue("content-type").map(each -> each.replace(" ", "")))
                    .as(name)
                    .contains(transcript.contentType().replace(" ", ""));
        if (transcript.contentType().startsWith("application/json"))
            assertThat(fixed(JSON.readTree(answer.body()), differing))
                    .as(name)
                    .isEqualTo(fixed(JSON.readTree(transcript.body()), differing));
        else if (transcript.contentType().startsWith("multipart/"))
            assertThat(untimed(body)).as(name).isEqualTo(untimed(transcript.body()));
        else assertThat(body).as(name).isEqualTo(transcript.body());
        return answer;
    }

    /// Without the values that differ from one time to the next.
    private JsonNode fixed(JsonNode json, String... differing) {
        if (json instanceof ObjectNode object)
            for (String key : names(object)) {
                if (VARYING.contains(key) || Set.of(differing).contains(key)) object.put(key, "*");
                else object.set(key, fixed(object.get(key), differing));
            }
        if (json instanceof ArrayNode array) array.forEach(each -> fixed(each, differing));
        return json.isTextual()
                ? JSON.valueToTree(
                        json.asText().replace(Transcript.RECORDED_ID, "ID").replace(id, "ID"))
                : json;
    }

    private static String untimed(String text) {
        return text.replaceAll("\"timestamp\":\"[^\"]*\",?", "")
                .replaceAll("Content-Type: (text/plain; charset=utf-8|application/octet-stream)", "");
    }

    private static Set<String> names(JsonNode object) {
        var names = new java.util.TreeSet<String>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private void box(String command) throws Exception {
        var transcript = Transcript.read("exec-simple");
        ((ObjectNode) transcript.request())
                .put("bodyText", JSON.writeValueAsString(JSON.createObjectNode().put("command", command)));
        assertThat(transcript.replay(client, origin(), id).statusCode()).isEqualTo(200);
    }

    private void await(String state) throws InterruptedException {
        fake.settle(id);
        assertThat(fake.state(id)).isEqualTo(state);
    }

    private String origin() {
        return "http://" + fake.address().getAuthority();
    }
}
