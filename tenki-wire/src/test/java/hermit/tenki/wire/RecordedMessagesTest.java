package hermit.tenki.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import com.google.rpc.Status;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServiceDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// The messages that were seen on Tenki's wire, against our own description of them.
@DisplayNameGeneration(ReplaceUnderscores.class)
class RecordedMessagesTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<String, MethodDescriptor<?, ?>> METHODS = methods(
            SandboxServiceGrpc.getServiceDescriptor(), SandboxSessionDataPlaneServiceGrpc.getServiceDescriptor());

    /// `text` is the message as proto3 JSON.
    private record Recorded(String name, Message prototype, byte[] bytes, String text) {}

    @TestFactory
    Stream<DynamicTest> every_recorded_message_is_read_without_a_rest_and_written_again_to_the_same_bytes()
            throws IOException {
        return recorded().stream()
                .map(each -> DynamicTest.dynamicTest(each.name(), () -> {
                    var message = each.prototype()
                            .newBuilderForType()
                            .mergeFrom(each.bytes())
                            .build();
                    assertKnown(message);
                    assertThat(message.toByteArray()).isEqualTo(each.bytes());
                }));
    }

    @TestFactory
    Stream<DynamicTest> every_recorded_message_is_written_from_its_text_to_the_same_bytes() throws IOException {
        return recorded().stream()
                .map(each -> DynamicTest.dynamicTest(each.name(), () -> {
                    var builder = each.prototype().newBuilderForType();
                    JsonFormat.parser().merge(each.text(), builder);
                    assertThat(builder.build().toByteArray()).isEqualTo(each.bytes());
                }));
    }

    @Test
    void nothing_was_left_out() throws IOException {
        assertThat(recorded()).hasSize(225);
    }

    @Test
    void a_failure_with_details_is_read() throws IOException {
        String details = JSON.readTree(Files.readString(recordings().resolve("create-session-runtime-failure.json")))
                .at("/status/detailsBin")
                .asText();
        var status = Status.parseFrom(Base64.getDecoder().decode(details));
        var failure = status.getDetails(0).unpack(TemplateRuntimeFailure.class);
        assertKnown(failure);
        assertThat(failure.getSession().getState()).isEqualTo(SessionState.SESSION_STATE_RUNNING);
        assertThat(failure.getReason()).contains("deadline");
    }

    private static List<Recorded> recorded() throws IOException {
        var all = new ArrayList<Recorded>();
        try (var files = Files.list(recordings())) {
            for (var file : files.sorted().toList()) {
                var recording = JSON.readTree(Files.readString(file));
                if (recording.has("calls")) {
                    for (var call : recording.get("calls")) all.addAll(messages(call));
                } else {
                    all.addAll(messages(recording));
                }
            }
        }
        return all;
    }

    private static List<Recorded> messages(JsonNode call) {
        var method = METHODS.get(call.get("method").asText());
        var messages = new ArrayList<Recorded>();
        for (var way : List.of("request", "response")) {
            var marshaller = way.equals("request") ? method.getRequestMarshaller() : method.getResponseMarshaller();
            var prototype = (Message) ((PrototypeMarshaller<?>) marshaller).getMessagePrototype();
            var texts = call.get(way + "Messages");
            var bytes = call.get(way + "MessagesBase64");
            assertThat(texts).as(call.get("operation").asText()).hasSameSizeAs(bytes);
            for (int i = 0; i < texts.size(); i++)
                messages.add(new Recorded(
                        "%s %s %d".formatted(call.get("operation").asText(), way, i),
                        prototype,
                        Base64.getDecoder().decode(bytes.get(i).asText()),
                        texts.get(i).toString()));
        }
        return messages;
    }

    private static void assertKnown(Message message) {
        assertThat(message.getUnknownFields().asMap())
                .as(message.getDescriptorForType().getName())
                .isEmpty();
        message.getAllFields().forEach((field, value) -> {
            if (field.getJavaType() != JavaType.MESSAGE) return;
            if (value instanceof List<?> several) several.forEach(each -> assertKnown((Message) each));
            else assertKnown((Message) value);
        });
    }

    private static Map<String, MethodDescriptor<?, ?>> methods(ServiceDescriptor... services) {
        var methods = new HashMap<String, MethodDescriptor<?, ?>>();
        for (var service : services)
            for (var method : service.getMethods()) methods.put(method.getFullMethodName(), method);
        return methods;
    }

    private static Path recordings() {
        return Path.of("src/test/resources/tenki");
    }
}
