package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.GatewayClient;
import hermit.api.GatewayClient.Answer;
import hermit.api.JsonTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// Asks a Docker engine on this machine three questions over its socket, without the `docker` command. In HTTP/1.0,
/// so that the answer ends with the connection.
record DockerSocket(Path path) {
    private static final int MOST_BYTES = 1 << 20;

    /// The engine's `/version`.
    JsonNode version() throws IOException {
        return get("/version").body();
    }

    /// What becomes of a sandbox's root outside it, in a few words.
    String users() throws IOException {
        for (JsonNode option : get("/info").body().path("SecurityOptions")) {
            if (option.asText().startsWith("name=rootless")) return "rootless";
            if (option.asText().startsWith("name=userns")) return "with mapped user ids";
        }
        return "with the host's user ids";
    }

    /// Whether an image is there.
    boolean hasImage(String image) throws IOException {
        return get("/images/" + GatewayClient.encode(image) + "/json").status() == 200;
    }

    private Answer get(String resource) throws IOException {
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            channel.write(ByteBuffer.wrap("GET %s HTTP/1.0\r\nHost: docker\r\n\r\n"
                    .formatted(resource)
                    .getBytes(StandardCharsets.US_ASCII)));
            var bytes = new ByteArrayOutputStream();
            var buffer = ByteBuffer.allocate(16 * 1024);
            while (channel.read(buffer) >= 0 && bytes.size() < MOST_BYTES) {
                bytes.write(buffer.array(), 0, buffer.position());
                buffer.clear();
            }
            return parse(bytes.toString(StandardCharsets.UTF_8));
        }
    }

    private static Answer parse(String answer) throws IOException {
        int body = answer.indexOf("\r\n\r\n");
        String[] statusLine = answer.lines().findFirst().orElse("").split(" ", 3);
        if (body < 0 || statusLine.length < 2 || !statusLine[1].matches("\\d{3}"))
            throw new IOException("what answers there is not a Docker engine");
        return new Answer(Integer.parseInt(statusLine[1]), JsonTree.parse(answer.substring(body + 4)));
    }
}
