package hermit.backend.tenki;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import hermit.backend.cloud.CloudMachine;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import hermit.exec.TenkiConfig;
import hermit.fake.Fault.Kind;
import hermit.fake.Journal;
import hermit.tenki.wire.SandboxServiceGrpc;
import hermit.tenki.wire.SandboxSessionDataPlaneServiceGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// What we ask, against what Tenki's own SDK was seen to ask: the same method, headers and message, but for the
/// differences that are listed here.
@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TenkiTranscriptsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String RECORDED_ID = "0190a000-0000-7000-8000-000000000001";
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final MachineSpec spec = TestTenki.row();
    private TestTenki tenki;
    private TenkiClient client;
    private CloudMachine machine;

    @BeforeAll
    void start() throws Exception {
        tenki = new TestTenki();
        client = tenki.client();
        machine = tenki.create(client, spec);
    }

    @AfterAll
    void stop() {
        tenki.close();
    }

    @BeforeEach
    void forget() {
        tenki.fake.journal().clear();
    }

    @Test
    void who_am_I() throws Exception {
        client.check();
        assertSame("whoami", "WhoAmI");
    }

    @Test
    void get() throws Exception {
        client.find(machine.id());
        assertSame("get-session", "GetSession");
    }

    @Test
    void pause_resume_and_extend() throws Exception {
        client.pause(machine.id());
        assertSame("pause-session", "PauseSession");
        tenki.happenings().endIn(machine.id(), Duration.ofMinutes(5));
        client.resume(machine, TestTenki.config(Map.of()), Progress.NONE);
        assertSame("resume-session", "ResumeSession");
        // How much is missing depends on the moment.
        assertThat(differences("extend-session", "ExtendSession").keySet())
                .isSubsetOf("additional_duration.seconds", "additional_duration.nanos");
    }

    @Test
    void list() throws Exception {
        client.list(Optional.of(spec.sandboxId()));
        assertThat(differences("list-sessions-page1", "ListWorkspaceSandboxes"))
                // The recording lists what has ended, too, and asks for other tags.
                .containsOnly(
                        Map.entry("include_terminated", "true -> "),
                        Map.entry("sticky", "false -> "),
                        Map.entry("tags", "[ci] -> [%s]".formatted(Creating.tag(spec.sandboxId()))));
    }

    @Test
    void terminate() throws Exception {
        client.destroy(tenki.create(client, TestTenki.row()).id());
        assertThat(differences("terminate-session", "TerminateSession").keySet())
                .containsOnly("session_id");
    }

    @Test
    void create_and_wait() throws Exception {
        var row = TestTenki.row();
        var made = tenki.create(client, row);
        client.destroy(made.id());
        var marks = new TreeMap<>(TestTenki.marks(row).toMap());
        var differences = differences("create-session-defaults", "CreateSession");
        assertThat(String.valueOf(differences.remove("metadata"))).contains(marks.keySet());
        assertThat(differences)
                .containsOnly(
                        // A bound on what it costs if the gateway is not there to pause it.
                        Map.entry("max_duration.seconds", " -> 3600"),
                        Map.entry("name", " -> hermit-main-default"),
                        Map.entry("tags", " -> [hermit, %s]".formatted(Creating.tag(row.sandboxId()))),
                        // What the row does not say is left to Tenki.
                        Map.entry("cpu_cores", "2 -> "),
                        Map.entry("memory_mb", "4096 -> "),
                        Map.entry("disk_size_gb", "5 -> "));
        assertThat(differences("wait-session", "WaitSession").keySet()).containsOnly("session_id");
        assertThat(entry("WaitSession").headers()).containsKey("grpc-timeout");
    }

    @Test
    void create_with_everything_that_a_row_can_say() {
        var config = TestTenki.config(Map.of(
                "image",
                "acme/base:1",
                "workspace_id",
                "0190a000-0000-7000-8000-0000000000aa",
                "cpu_cores",
                4,
                "memory_mb",
                8192,
                "env",
                Map.of("NODE_ENV", "production")));
        var row = new MachineSpec(spec.sandboxId(), spec.agentUid(), "main", "default", config, 0, Optional.empty());
        var request = Creating.request(row, (TenkiConfig) config, TestTenki.marks(row));
        assertThat(request.getRegistryRef()).isEqualTo("acme/base:1");
        assertThat(request.hasSnapshotId()).isFalse();
        assertThat(request.getWorkspaceId()).isEqualTo("0190a000-0000-7000-8000-0000000000aa");
        assertThat(request.getCpuCores()).isEqualTo(4);
        assertThat(request.getMemoryMb()).isEqualTo(8192);
        assertThat(request.getEnvMap()).isEqualTo(Map.of("NODE_ENV", "production"));
        assertThat(request.getSticky()).isFalse();
    }

    @Test
    void credential_and_probe() throws Exception {
        tenki.fault("CreateSessionCredential", new Kind.Special("unprobed"), 1);
        client.guest(machine, TestTenki.config(Map.of())).run(List.of("true"), PATIENCE);
        assertSame("create-session-credential", "CreateSessionCredential");
        assertThat(differences("stat-file", "Stat"))
                .containsOnly(Map.entry("request.path", "/home/tenki/a.txt -> /home/tenki"));
    }

    @Test
    void run() throws Exception {
        client.guest(machine, TestTenki.config(Map.of())).run(List.of("echo", "hi"), PATIENCE);
        assertThat(differences("run-timeout", "Run"))
                .containsOnly(
                        Map.entry("frame.start.cmd", "[bash, -lc, sleep 60] -> [echo, hi]"),
                        Map.entry("frame.start.cwd", "project -> /"),
                        Map.entry("frame.start.privileged", " -> true"),
                        Map.entry("frame.start.timeout_ms", "1500 -> 20000"),
                        Map.entry("frame.start.env", "[key: \"CI\" value: \"true\" ] -> "));
    }

    @Test
    void files() throws Exception {
        client.guest(machine, TestTenki.config(Map.of())).upload("/home/tenki/d/e", new byte[] {1});
        assertThat(differences("mkdir", "Mkdir"))
                .containsOnly(Map.entry("request.path", "/home/tenki/d/e -> /home/tenki/d"));
        assertThat(differences("write-file-stream", "WriteFileStream"))
                .containsOnly(
                        Map.entry("frame.start.path", "/home/tenki/b.bin -> /home/tenki/d/e"),
                        Map.entry("frame.start.mode", "420 -> 493"));
    }

    private void assertSame(String recording, String method) throws Exception {
        assertThat(differences(recording, method)).isEmpty();
    }

    /// `recorded -> ours`, by field.
    private Map<String, String> differences(String recording, String method) throws Exception {
        var recorded =
                JSON.readTree(Files.readString(Path.of("../tenki-wire/src/test/resources/tenki", recording + ".json")));
        var entry = entry(method);
        assertHeaders(recorded.get("metadata"), entry);
        var prototype = prototype(recorded.get("method").asText());
        var theirs =
                flat(prototype, recorded.get("requestMessagesBase64").get(0).asText());
        var ours = flat(prototype, entry.body());
        var differences = new TreeMap<String, String>();
        Stream.concat(theirs.keySet().stream(), ours.keySet().stream()).forEach(field -> {
            String their = theirs.getOrDefault(field, "").replace(RECORDED_ID, machine.id());
            String our = ours.getOrDefault(field, "");
            if (!their.equals(our)) differences.put(field, their + " -> " + our);
        });
        return differences;
    }

    /// Our client names itself, and the library sends the other of two equal content types.
    private static void assertHeaders(JsonNode recorded, Journal.Entry ours) {
        assertThat(ours.headers().get(":path")).isEqualTo(recorded.get(":path").asText());
        assertThat(ours.headers().get(":method")).isEqualTo("POST");
        assertThat(ours.headers().get("te")).isEqualTo("trailers");
        assertThat(ours.headers().get("content-type")).isEqualTo("application/grpc");
        for (String name : List.of("authorization", "x-tenki-client-generation", "x-tenki-session-cert"))
            assertThat(ours.headers().containsKey(name)).as(name).isEqualTo(recorded.has(name));
        if (!recorded.has("authorization")) return;
        assertThat(ours.headers())
                .containsEntry("authorization", "Bearer " + TestTenki.TOKEN)
                .containsEntry("x-tenki-client-family", "hermit")
                .containsEntry("x-tenki-client-generation", "workspace_v1");
    }

    private Journal.Entry entry(String method) {
        return tenki.fake.journal().entries().stream()
                .filter(each -> each.method().equals("POST") && each.path().endsWith("/" + method))
                .findFirst()
                .orElseThrow();
    }

    private static Message prototype(String method) {
        return Stream.of(
                        SandboxServiceGrpc.getServiceDescriptor(),
                        SandboxSessionDataPlaneServiceGrpc.getServiceDescriptor())
                .flatMap(service -> service.getMethods().stream())
                .filter(each -> each.getFullMethodName().equals(method))
                .map(MethodDescriptor::getRequestMarshaller)
                .map(each -> (Message) ((PrototypeMarshaller<?>) each).getMessagePrototype())
                .findFirst()
                .orElseThrow();
    }

    private static Map<String, String> flat(Message prototype, String base64) throws Exception {
        var flat = new TreeMap<String, String>();
        flatten(
                "",
                prototype
                        .newBuilderForType()
                        .mergeFrom(Base64.getDecoder().decode(base64))
                        .build(),
                flat);
        return flat;
    }

    private static void flatten(String at, Message message, Map<String, String> into) {
        for (Map.Entry<FieldDescriptor, Object> each : message.getAllFields().entrySet()) {
            String name = at + each.getKey().getName();
            if (each.getKey().isMapField()) into.put(name, mapText(each.getValue()));
            else if (each.getValue() instanceof Message inner) flatten(name + ".", inner, into);
            else into.put(name, String.valueOf(each.getValue()));
        }
    }

    private static String mapText(Object entries) {
        return String.valueOf(entries).replaceAll("\\s+", " ");
    }
}
