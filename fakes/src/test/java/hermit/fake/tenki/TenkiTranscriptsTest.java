package hermit.fake.tenki;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import hermit.fake.Fault;
import hermit.fake.Fault.Kind;
import hermit.tenki.wire.CreateSessionCredentialRequest;
import hermit.tenki.wire.CreateSessionRequest;
import hermit.tenki.wire.SandboxServiceGrpc;
import hermit.tenki.wire.WaitSessionRequest;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What was asked on Tenki's wire, asked of the fake: it must answer in the same way. Ids are replaced; the recorded
/// answers were made up by the recorder, so it is their shape that counts.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TenkiTranscriptsTest {
    private static final String RECORDED_ID = "0190a000-0000-7000-8000-000000000001";
    private static final String TOKEN = "tk_test_key";
    private static final Metadata.Key<String> CERTIFICATE =
            Metadata.Key.of("x-tenki-session-cert", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    /// What the recorder's answers have whatever was asked, or what depends on the program that ran.
    private static final Set<String> MADE_UP = Set.of(
            "session.metadata",
            "session.name",
            "session.tags",
            "session.sticky",
            "session.inbound_enabled",
            "session.outbound_enabled",
            "session.pause_retention",
            "session.idle_timeout_minutes",
            "next_page_token",
            "frame.exit.exit_code");

    private TenkiFake fake;
    private ManagedChannel control;
    private ManagedChannel data;
    private String session;

    @BeforeEach
    void start() throws Exception {
        fake = TenkiFake.start(TenkiFakeSettings.of(TOKEN, "hermit-base:bookworm"));
        control = channel(fake.address().getPort());
        var headers = new Metadata();
        headers.put(AUTHORIZATION, "Bearer " + TOKEN);
        var stub = SandboxServiceGrpc.newBlockingV2Stub(control)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
        session = stub.createSession(CreateSessionRequest.newBuilder()
                        .setOwnerId("self")
                        .setOwnerType("SERVICE")
                        .build())
                .getSession()
                .getId();
        var waiting = stub.waitSession(
                WaitSessionRequest.newBuilder().setSessionId(session).build());
        String endpoint = "";
        String credential = "";
        for (var seen = waiting.read(); seen != null; seen = waiting.read()) {
            endpoint = seen.getDataPlaneEndpoint();
            credential = seen.getCredential().getCredential();
        }
        assertThat(endpoint).startsWith("http://127.0.0.1:");
        assertThat(credential).isNotEmpty();
        data = channel(Integer.parseInt(endpoint.substring(endpoint.lastIndexOf(':') + 1)));
    }

    @AfterEach
    void stop() {
        control.shutdownNow();
        data.shutdownNow();
        fake.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "auth-bearer",
                "auth-cookie",
                "auth-session-token",
                "create-session-defaults",
                "create-session-full",
                "create-session-image",
                "create-session-snapshot",
                "create-session-credential",
                "extend-session",
                "get-session",
                "get-session-invalid-id",
                "get-usage",
                "list-sessions-workspace",
                "pause-session",
                "terminate-session",
                "update-session",
                "update-session-clear-tags",
                "update-session-max-duration",
                "wait-session",
                "whoami"
            })
    void lifecycle(String name) throws Exception {
        var recorded = Recording.read(name);
        var answer = replay(recorded);
        assertThat(answer.code()).isEqualTo(recorded.code());
        if (recorded.responses().isEmpty()) return;
        assertShape(answer.messages().getLast(), recorded.responses().getLast());
    }

    @Test
    void a_session_that_is_not_there() throws Exception {
        var recorded = Recording.read("get-session-not-found");
        var answer = call(control, recorded);
        assertThat(answer.code()).isEqualTo(recorded.code());
        assertThat(answer.description()).isEqualTo("session not found");
    }

    @Test
    void a_resume_is_answered_before_it_is_done() throws Exception {
        fake.happenings().pause(session);
        lifecycle("resume-session");
    }

    @Test
    void a_create_that_came_to_nothing_says_why() throws Exception {
        fake.faults().add(new Fault("start", new Kind.Special("fails"), 1));
        var created = replay(Recording.read("create-session-defaults"));
        session = (String) field((Message) field(created.messages().getFirst(), "session"), "id");
        lifecycle("wait-session-terminal");
    }

    @Test
    void a_route_that_is_not_ready_or_failed() throws Exception {
        fake.faults().add(new Fault("CreateSessionCredential", new Kind.Special("not_ready"), 1));
        lifecycle("create-session-credential-not-ready");
        fake.faults().add(new Fault("CreateSessionCredential", new Kind.Special("failed"), 1));
        lifecycle("create-session-credential-failed");
    }

    @Test
    void a_paused_machine_gives_no_credential() throws Exception {
        fake.happenings().pause(session);
        var recorded = Recording.read("create-session-credential-paused");
        var answer = replay(recorded);
        assertThat(answer.code()).isEqualTo(recorded.code());
        assertThat(answer.description()).isEqualTo("session is not running (state=PAUSED)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "list",
                "list-hidden",
                "mkdir",
                "read-file",
                "read-file-denied",
                "read-file-not-found",
                "read-file-stream",
                "read-file-stream-defaults",
                "remove",
                "stat-file",
                "stat-missing",
                "write-file",
                "write-file-stream",
                "write-file-stream-options"
            })
    void files(String name) throws Exception {
        fake.happenings()
                .shell(
                        session,
                        "cd /home/tenki && mkdir -p d/x/y && echo -n hello > a.txt && touch .hidden"
                                + " && printf 123456789 > b.bin && printf 123456789 > big.bin && chown -R tenki: .");
        var recorded = Recording.read(name);
        var answer = replay(recorded);
        assertThat(answer.code()).isEqualTo(recorded.code());
        if (!recorded.responses().isEmpty())
            assertShape(answer.messages().getLast(), recorded.responses().getLast());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"run-echo", "run-exec-cwd-env", "run-exec-failed", "run-signal-kill", "run-stdin-privileged"})
    void programs(String name) throws Exception {
        fake.happenings().shell(session, "mkdir -p /home/tenki/project && chown tenki: /home/tenki/project");
        var recorded = Recording.read(name);
        var answer = replay(recorded);
        assertThat(answer.code()).isZero();
        assertShape(answer.messages().getLast(), recorded.responses().getLast());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "run-timeout timed_out_zero",
                "run-timeout-grace grace_timeout",
                "run-session-terminated session_terminated",
                "run-first-frame-timeout first_frame_timeout"
            })
    void programs_that_end_in_special_ways(String nameAndFault) throws Exception {
        fake.happenings().shell(session, "mkdir -p /home/tenki/project && chown tenki: /home/tenki/project");
        var recorded = Recording.read(nameAndFault.split(" ", 2)[0]);
        fake.faults().add(new Fault("Run", new Kind.Special(nameAndFault.split(" ", 2)[1]), 1));
        var answer = replay(recorded);
        var exit = (Message) field((Message) field(answer.messages().getLast(), "frame"), "exit");
        var recordedExit = (Message) field((Message) field(recorded.responses().getLast(), "frame"), "exit");
        assertThat(field(exit, "exit_code")).isEqualTo(field(recordedExit, "exit_code"));
        assertThat(field(exit, "timed_out")).isEqualTo(field(recordedExit, "timed_out"));
        assertThat(((String) field(exit, "reason")).split(":", 2)[0])
                .isEqualTo(((String) field(recordedExit, "reason")).split(":", 2)[0]);
    }

    @Test
    void an_edge_without_a_route_answers_in_plain_http() throws Exception {
        fake.faults().add(new Fault("edge", new Kind.Answer(404, Map.of(), "not found"), 1));
        var answer = replay(Recording.read("mkdir"));
        assertThat(answer.code()).isEqualTo(Status.Code.UNIMPLEMENTED.value());
        assertThat(answer.description()).startsWith("HTTP status code 404");
    }

    @Test
    void a_refused_stream_is_a_reset() throws Exception {
        // One is repeated by the client's own transport, unseen.
        fake.faults().add(new Fault("Mkdir", new Kind.Special("refused_stream"), 2));
        var answer = replay(Recording.read("mkdir"));
        assertThat(answer.code()).isEqualTo(Status.Code.UNAVAILABLE.value());
        assertThat(answer.description()).contains("REFUSED_STREAM");
    }

    @Test
    void a_wrong_key_is_refused() throws Exception {
        var recorded = Recording.read("whoami");
        recorded.headers().removeAll(AUTHORIZATION);
        recorded.headers().put(AUTHORIZATION, "Bearer tk_other");
        assertThat(call(control, recorded).code()).isEqualTo(Status.Code.UNAUTHENTICATED.value());
    }

    @Test
    void a_wrong_certificate_is_refused() throws Exception {
        var recorded = withIds(Recording.read("mkdir"));
        assertThat(call(data, recorded).code()).isEqualTo(Status.Code.UNAUTHENTICATED.value());
    }

    private record Answer(int code, String description, List<Message> messages) {}

    private Answer replay(Recording recorded) throws Exception {
        var own = withIds(recorded);
        if (own.isControl()) {
            if (!own.headers().containsKey(AUTHORIZATION)) return call(control, withToken(own));
            return call(control, own);
        }
        var headers = new Metadata();
        headers.put(AUTHORIZATION, "Bearer " + TOKEN);
        var credential = SandboxServiceGrpc.newBlockingV2Stub(control)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                .createSessionCredential(CreateSessionCredentialRequest.newBuilder()
                        .setSessionId(session)
                        .build())
                .getCredential()
                .getCredential();
        own.headers().removeAll(CERTIFICATE);
        own.headers().put(CERTIFICATE, credential);
        return call(data, own);
    }

    /// The recordings of the other forms of a key have keys of their own.
    private static Recording withToken(Recording recorded) {
        for (String name : Set.copyOf(recorded.headers().keys())) {
            var key = Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
            String value = String.valueOf(recorded.headers().get(key));
            if (name.equals("cookie") || name.equals("x-session-token")) {
                recorded.headers().removeAll(key);
                recorded.headers().put(key, value.startsWith("tenki_session=") ? "tenki_session=" + TOKEN : TOKEN);
            }
        }
        return recorded;
    }

    private Answer call(ManagedChannel channel, Recording recorded) throws Exception {
        ClientCall<Message, Message> call = channel.newCall(recorded.method(), CallOptions.DEFAULT);
        var messages = new ArrayList<Message>();
        var closed = new CompletableFuture<Status>();
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(Message message) {
                        messages.add(message);
                        call.request(1);
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        closed.complete(status);
                    }
                },
                recorded.headers());
        call.request(1);
        for (var message : recorded.requests()) call.sendMessage(message);
        call.halfClose();
        var status = closed.get();
        return new Answer(status.getCode().value(), String.valueOf(status.getDescription()), messages);
    }

    private Recording withIds(Recording recorded) throws IOException {
        var requests = new ArrayList<Message>();
        for (var each : recorded.requests()) requests.add(withIds(each));
        return new Recording(recorded.method(), recorded.headers(), requests, recorded.responses(), recorded.code());
    }

    private Message withIds(Message message) {
        var changed = message.toBuilder();
        message.getAllFields().forEach((field, value) -> {
            if (value.equals(RECORDED_ID)) changed.setField(field, session);
            else if (value instanceof Message inner) changed.setField(field, withIds(inner));
        });
        return changed.build();
    }

    private static void assertShape(Message actual, Message recorded) {
        assertThat(shape("", actual)).containsAll(shape("", recorded));
        var state = recorded.getDescriptorForType().findFieldByName("session");
        if (state == null) return;
        assertThat(field((Message) actual.getField(state), "state"))
                .isEqualTo(field((Message) recorded.getField(state), "state"));
    }

    private static Set<String> shape(String at, Message message) {
        var shape = new TreeSet<String>();
        message.getAllFields().forEach((field, value) -> {
            if (MADE_UP.contains(at + field.getName())) return;
            shape.add(at + field.getName());
            if (value instanceof Message inner) shape.addAll(shape(at + field.getName() + ".", inner));
        });
        return shape;
    }

    private static Object field(Message message, String name) {
        FieldDescriptor field = message.getDescriptorForType().findFieldByName(name);
        return message.getField(field);
    }

    private static ManagedChannel channel(int port) {
        return NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    }
}
