package hermit.fake.tenki;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.Message;
import hermit.tenki.wire.SandboxServiceGrpc;
import hermit.tenki.wire.SandboxSessionDataPlaneServiceGrpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// One call as it was seen on Tenki's wire.
///
/// - `code`: its status in gRPC.
record Recording(
        MethodDescriptor<Message, Message> method,
        Metadata headers,
        List<Message> requests,
        List<Message> responses,
        int code) {
    private static final ObjectMapper JSON = new ObjectMapper();
    /// What the transport writes itself.
    private static final Set<String> OF_THE_TRANSPORT =
            Set.of("content-type", "te", "user-agent", "grpc-accept-encoding", "grpc-timeout");

    static Recording read(String name) throws IOException {
        var call = JSON.readTree(Files.readString(Path.of("../tenki-wire/src/test/resources/tenki", name + ".json")));
        var method = method(call.get("method").asText());
        return new Recording(
                method,
                headers(call.get("metadata")),
                messages(call.get("requestMessagesBase64"), prototype(method.getRequestMarshaller())),
                messages(call.get("responseMessagesBase64"), prototype(method.getResponseMarshaller())),
                call.at("/status/code").asInt());
    }

    boolean isControl() {
        return SandboxServiceGrpc.SERVICE_NAME.equals(method.getServiceName());
    }

    @SuppressWarnings("unchecked") // all messages of both services are Messages
    private static MethodDescriptor<Message, Message> method(String name) {
        return (MethodDescriptor<Message, Message>) Stream.of(
                        SandboxServiceGrpc.getServiceDescriptor(),
                        SandboxSessionDataPlaneServiceGrpc.getServiceDescriptor())
                .flatMap(service -> service.getMethods().stream())
                .filter(method -> method.getFullMethodName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Message prototype(MethodDescriptor.Marshaller<Message> marshaller) {
        var prototype = ((PrototypeMarshaller<Message>) marshaller).getMessagePrototype();
        if (prototype == null) throw new IllegalStateException("no prototype");
        return prototype;
    }

    private static Metadata headers(JsonNode recorded) {
        var headers = new Metadata();
        for (var each : recorded.properties())
            if (!each.getKey().startsWith(":") && !OF_THE_TRANSPORT.contains(each.getKey()))
                headers.put(
                        Metadata.Key.of(each.getKey(), Metadata.ASCII_STRING_MARSHALLER),
                        each.getValue().asText());
        return headers;
    }

    private static List<Message> messages(JsonNode recorded, Message prototype) throws IOException {
        var messages = new ArrayList<Message>();
        for (var each : recorded)
            messages.add(prototype
                    .newBuilderForType()
                    .mergeFrom(Base64.getDecoder().decode(each.asText()))
                    .build());
        return messages;
    }
}
