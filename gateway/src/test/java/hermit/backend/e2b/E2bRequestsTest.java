package hermit.backend.e2b;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import hermit.backend.cloud.CloudMachine;
import hermit.backend.cloud.Marks;
import hermit.config.CloudSettings;
import hermit.config.Secret;
import hermit.exec.LiveState.State;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What we ask is what the official SDK asks, as it was recorded; where it is not, the difference is written here.
///
/// The other side answers what was recorded, too, so that our reading of it is seen as well.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60) // only so that a broken test ends
class E2bRequestsTest {
    private static final String ID = "isandbox000000000001";
    private static final UUID SANDBOX = new UUID(3, 3);
    /// What the SDK says of itself, and what each HTTP client decides.
    private static final Set<String> OF_THE_CLIENT = Set.of(
            "user-agent",
            "lang",
            "lang_version",
            "package_version",
            "publisher",
            "sdk_runtime",
            "system",
            "browser",
            "accept",
            "accept-encoding",
            "transfer-encoding",
            "content-length",
            "connection",
            "host",
            "http2-settings",
            "upgrade");

    @SuppressWarnings("ArrayRecordComponent") // nobody compares it
    private record Asked(
            String method, String path, Map<String, String> query, Map<String, String> headers, byte[] body) {}

    private final QuickScheduler scheduler = new QuickScheduler();
    private final List<Asked> asked = new ArrayList<>();
    private HttpServer server;
    private E2bClient client;
    private CloudSettings.E2b settings;
    private volatile JsonNode answer = Calls.JSON.createObjectNode();

    @BeforeEach
    void serve() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            var headers = new HashMap<String, String>();
            exchange.getRequestHeaders()
                    .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
            var uri = exchange.getRequestURI();
            synchronized (asked) {
                asked.add(new Asked(
                        exchange.getRequestMethod(),
                        uri.getRawPath(),
                        query(Optional.ofNullable(uri.getRawQuery()).orElse("")),
                        headers,
                        exchange.getRequestBody().readAllBytes()));
            }
            boolean health = uri.getPath().equals("/health");
            var response = answer.path("response");
            byte[] body = body(response);
            int status = health ? 204 : response.path("status").asInt();
            exchange.getResponseHeaders()
                    .set(
                            "Content-Type",
                            response.path("headers").path("content-type").asText("text/plain"));
            exchange.sendResponseHeaders(status, health || body.length == 0 ? -1 : body.length);
            if (!health && body.length > 0) exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        var address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        settings = new CloudSettings.E2b(
                Optional.of(new Secret("e2b_test_key")),
                Optional.of(address),
                Optional.empty(),
                Optional.empty(),
                Optional.of(address));
        client = new E2bClient(settings, TestE2b.INSTANCE, scheduler, TestE2b.SHORT);
    }

    @AfterEach
    void stop() {
        client.close();
        server.stop(0);
        scheduler.close();
    }

    // --- life cycle

    @Test
    void create() throws Exception {
        var recorded = recorded("sandbox_create_autopause");
        var config = TestE2b.config(Map.of("sandbox_timeout_ms", 600_000));
        var spec = new MachineSpec(SANDBOX, TestE2b.AGENT, "main", "default", config, 0, Optional.empty());
        var marks = Marks.of(TestE2b.INSTANCE, spec, 1);

        var machine = client.create(spec, marks, Progress.NONE);

        assertThat(machine.id()).isEqualTo(ID);
        assertThat(machine.access()).containsEntry(SandboxJson.TOKEN, "envd_test_token");
        var ours = theOne("/v2/sandboxes");
        sameButBody(recorded, ours);
        var body = (ObjectNode) json(ours.body);
        // The SDK's caller gave no metadata; ours are the marks.
        assertThat(texts(body.remove("metadata"))).isEqualTo(marks.toMap());
        assertThat(body).isEqualTo(json(body(recorded)));
    }

    @Test
    void connect() throws Exception {
        var recorded = recorded("sandbox_connect_resumed_paused");
        var paused = new CloudMachine(
                "isandboxpaused000001", State.PAUSED, "paused", Map.of("a", "b"), Optional.empty(), Map.of());
        var resumed = client.resume(paused, TestE2b.config(Map.of("sandbox_timeout_ms", 300_000)), Progress.NONE)
                .orElseThrow();
        assertThat(resumed.id()).isEqualTo(paused.id());
        assertThat(resumed.marks()).isEqualTo(paused.marks());
        same(recorded, theOne("/v2/sandboxes/isandboxpaused000001/connect"));
    }

    @Test
    void info() throws Exception {
        var recorded = recorded("sandbox_get_info_running");
        var found = client.find(ID).orElseThrow();
        assertThat(found.state()).isEqualTo(State.RUNNING);
        assertThat(found.marks()).isEqualTo(Map.of("owner", "java"));
        assertThat(found.createdAt()).isPresent();
        same(recorded, theOne("/sandboxes/" + ID));
    }

    /// Only what we filter by differs: the encoding of it is the recorded one.
    @Test
    void list() throws Exception {
        var recorded = recorded("sandbox_list_filters");
        assertThat(client.list(Optional.of(SANDBOX))).as("it is not ours").isEmpty();
        var ours = theOne("/v2/sandboxes");
        assertThat(ours.query)
                .isEqualTo(Map.of(
                        "limit",
                        "100",
                        "metadata",
                        "hermit-instance=%s&hermit-sandbox=%s".formatted(TestE2b.INSTANCE, SANDBOX)));
        assertThat(headers(ours.headers)).isEqualTo(headers(recorded));
        // Decoded once, keys and values of the recorded filter are still encoded; our words need no encoding at all.
        assertThat(query(recorded.path("request").path("rawQuery").asText()))
                .containsEntry("metadata", "owner%2520name=a%2520b%2526c&purpose=x%253Dy");
    }

    @Test
    void pause() throws Exception {
        var recorded = recorded("sandbox_pause");
        client.pause(ID);
        same(recorded, theOne("/sandboxes/%s/pause".formatted(ID)));
    }

    @Test
    void timeout() throws Exception {
        var recorded = recorded("sandbox_set_timeout");
        client.prolong(ID, TestE2b.config(Map.of("sandbox_timeout_ms", 120_001)));
        same(recorded, theOne("/sandboxes/%s/timeout".formatted(ID)));
    }

    @Test
    void kill() throws Exception {
        var recorded = recorded("sandbox_kill");
        client.destroy(ID);
        same(recorded, theOne("/sandboxes/" + ID));
    }

    // --- files: we name the path in full, and root as the user

    @Test
    void upload() throws Exception {
        var recorded = recorded("files_write_octet_stream");
        guest("0.6.13")
                .upload(
                        "/opt/hermit/x y",
                        Base64.getDecoder()
                                .decode(recorded.path("request")
                                        .path("bodyBase64")
                                        .asText()));
        var ours = theOne("/files");
        assertThat(ours.query).isEqualTo(Map.of("path", "/opt/hermit/x y", "username", "root"));
        assertThat(ours.method).isEqualTo("POST");
        assertThat(headers(ours.headers)).isEqualTo(headers(recorded));
        assertThat(ours.body).isEqualTo(body(recorded.path("request")));
    }

    @Test
    void upload_to_an_older_daemon() throws Exception {
        var recorded = recorded("files_write_old_envd");
        guest("0.3.9").upload("old.txt", "x".getBytes(StandardCharsets.UTF_8));
        var ours = theOne("/files");
        assertThat(ours.query).isEqualTo(Map.of("path", "old.txt", "username", "root"));
        String boundary = ours.headers.getOrDefault("content-type", "").replaceFirst(".*boundary=", "");
        String theirs = recorded.path("request")
                .path("headers")
                .path("content-type")
                .asText()
                .replaceFirst(".*boundary=", "");
        assertThat(new String(ours.body, StandardCharsets.UTF_8).replace(boundary, theirs))
                .isEqualTo(new String(body(recorded.path("request")), StandardCharsets.UTF_8));
    }

    // --- programs: no shell of theirs around ours, root, and a keepalive of our own

    @Test
    void run() throws Exception {
        var recorded = recorded("process_start_full_options");
        var ran = guest("0.6.13").run(List.of("/bin/bash", "-l", "-c", "true"), Duration.ofSeconds(60));
        assertThat(ran.exitCode()).isZero();
        assertThat(ran.output()).isEqualTo("/tmp\nbar 1\nroot\n");
        var ours = theOne("/process.Process/Start");
        var expected = headers(recorded);
        expected.put("connect-timeout-ms", "60000"); // recorded without a limit; ours always has one
        expected.put("keepalive-ping-interval", "30");
        assertThat(headers(ours.headers)).isEqualTo(expected);
        assertThat(message(ours.body))
                .isEqualTo(
                        json("{\"process\":{\"cmd\":\"/bin/bash\",\"args\":[\"-l\",\"-c\",\"true\"]},\"stdin\":false}"
                                .getBytes(StandardCharsets.UTF_8)));
        assertThat(keys(message(body(recorded.path("request"))))).containsAll(keys(message(ours.body)));
    }

    @Test
    void open_write_and_close() throws Exception {
        var start = step("process_stdin_roundtrip", 0);
        answer = start;
        var bridge = guest("0.6.13").open(List.of("/opt/hermit/keeper", "bridge"));
        assertThat(new String(bridge.in().readNBytes(11), StandardCharsets.UTF_8))
                .isEqualTo("hello\ndone\n");
        var opened = theOne("/process.Process/Start");
        var expected = headers(start);
        expected.remove("connect-timeout-ms"); // it lives until it is closed
        expected.put("keepalive-ping-interval", "30");
        expected.put("authorization", "Basic cm9vdDo=");
        assertThat(headers(opened.headers)).isEqualTo(expected);

        var input = step("process_stdin_roundtrip", 1);
        answer = input;
        bridge.out().write("hello\n".getBytes(StandardCharsets.UTF_8));
        var sent = theOne("/process.Process/SendInput");
        assertThat(headers(sent.headers)).isEqualTo(headers(input));
        assertThat(json(sent.body)).isEqualTo(json(body(input.path("request"))));

        var kill = step("process_kill", 1);
        answer = kill;
        bridge.close();
        var killed = awaited("/process.Process/SendSignal");
        assertThat(headers(killed.headers)).isEqualTo(headers(kill));
        assertThat(json(killed.body).path("signal"))
                .isEqualTo(json(body(kill.path("request"))).path("signal"));
        assertThat(json(killed.body).path("process").path("pid").asInt()).isEqualTo(876);
    }

    @Test
    void what_is_written_at_once_is_sent_in_pieces_of_64_KiB() throws Exception {
        answer = step("process_stdin_roundtrip", 0);
        var bridge = guest("0.6.13").open(List.of("bridge"));
        answer = step("process_stdin_roundtrip", 1);
        byte[] bytes = new byte[150_000];
        for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) (i * 31);
        bridge.out().write(bytes);
        var sent = new ByteArrayOutputStream();
        var sizes = new ArrayList<Integer>();
        for (var each : all("/process.Process/SendInput")) {
            byte[] piece = Base64.getDecoder()
                    .decode(json(each.body).at("/input/stdin").asText());
            sizes.add(piece.length);
            sent.writeBytes(piece);
        }
        assertThat(sizes).containsExactly(65_536, 65_536, 18_928);
        assertThat(sent.toByteArray()).isEqualTo(bytes);
        bridge.close();
    }

    private E2bGuest guest(String version) {
        var machine = new CloudMachine(
                ID,
                State.RUNNING,
                "running",
                Map.of(),
                Optional.empty(),
                Map.of(SandboxJson.TOKEN, "envd_test_token", SandboxJson.DAEMON, version));
        return (E2bGuest) client.guest(machine, TestE2b.config(Map.of()));
    }

    // --- comparing

    private JsonNode recorded(String name) throws IOException {
        answer = read(name);
        return answer;
    }

    private static JsonNode step(String name, int index) throws IOException {
        return read(name).path("exchanges").path(index);
    }

    private static JsonNode read(String name) throws IOException {
        try (var in = E2bRequestsTest.class.getResourceAsStream("/e2b/" + name + ".json")) {
            return Calls.JSON.readTree(in);
        }
    }

    private List<Asked> all(String path) {
        synchronized (asked) {
            return asked.stream().filter(each -> each.path.equals(path)).toList();
        }
    }

    private Asked theOne(String path) {
        var found = all(path);
        assertThat(found).hasSize(1);
        return found.getFirst();
    }

    private Asked awaited(String path) throws InterruptedException {
        while (all(path).isEmpty()) Thread.onSpinWait();
        return theOne(path);
    }

    private static void same(JsonNode recorded, Asked ours) throws IOException {
        sameButBody(recorded, ours);
        byte[] theirs = body(recorded.path("request"));
        if (theirs.length == 0) assertThat(ours.body).isEmpty();
        else assertThat(json(ours.body)).isEqualTo(json(theirs));
    }

    private static void sameButBody(JsonNode recorded, Asked ours) {
        var request = recorded.path("request");
        assertThat(ours.method).isEqualTo(request.path("method").asText());
        assertThat(ours.path).isEqualTo(request.path("path").asText());
        assertThat(ours.query).isEqualTo(query(request.path("rawQuery").asText()));
        assertThat(headers(ours.headers)).isEqualTo(headers(recorded));
    }

    private static Map<String, String> headers(JsonNode recorded) {
        var headers = new HashMap<String, String>();
        recorded.path("request")
                .path("headers")
                .properties()
                .forEach(each -> headers.put(each.getKey(), each.getValue().asText()));
        return headers(headers);
    }

    private static Map<String, String> headers(Map<String, String> all) {
        var headers = new TreeMap<>(all);
        headers.keySet().removeAll(OF_THE_CLIENT);
        return headers;
    }

    private static Map<String, String> query(String raw) {
        var query = new TreeMap<String, String>();
        for (String pair : raw.split("&", -1)) {
            if (pair.isEmpty()) continue;
            String[] parts = pair.split("=", 2);
            query.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
        }
        return query;
    }

    private static byte[] body(JsonNode message) {
        var side = message.has("request") ? message.path("request") : message;
        if (side.has("bodyDecodedText"))
            return side.path("bodyDecodedText").asText().getBytes(StandardCharsets.UTF_8);
        if (side.has("bodyBase64"))
            return Base64.getDecoder().decode(side.path("bodyBase64").asText());
        return side.path("bodyText").asText("").getBytes(StandardCharsets.UTF_8);
    }

    private static Map<String, String> texts(JsonNode object) {
        var texts = new TreeMap<String, String>();
        object.properties()
                .forEach(each -> texts.put(each.getKey(), each.getValue().asText()));
        return texts;
    }

    private static JsonNode message(byte[] enveloped) throws IOException {
        return new ConnectFrames(new ByteArrayInputStream(enveloped)).read().message();
    }

    private static Set<String> keys(JsonNode node) {
        var keys = new TreeSet<String>();
        node.properties().forEach(each -> {
            keys.add(each.getKey());
            for (String below : keys(each.getValue())) keys.add(each.getKey() + "." + below);
        });
        return keys;
    }

    private static JsonNode json(byte[] body) throws IOException {
        return Calls.JSON.readTree(body);
    }
}
