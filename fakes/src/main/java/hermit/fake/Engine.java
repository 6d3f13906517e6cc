package hermit.fake;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/// The engine's own API, for the one thing that the `docker` program cannot do without a terminal of its own: run
/// something in a machine's terminal.
final class Engine {
    private static final int LONGEST_ANSWER = 1 << 20;

    private final URI address;

    private Engine(URI address) {
        this.address = address;
    }

    /// The one that the `docker` program speaks to.
    static Engine find() throws InterruptedException {
        String host = Docker.call(Docker.command("context", "inspect", "--format", "{{.Endpoints.docker.Host}}"));
        var address = URI.create(host);
        if (!address.getScheme().equals("unix") && !address.getScheme().equals("tcp"))
            throw new FakeFailure("terminals need an engine at a unix or tcp address, not at " + host);
        return new Engine(address);
    }

    /// The body of the answer.
    String post(String path, String body) {
        return call("POST", path, body);
    }

    String get(String path) {
        return call("GET", path, "");
    }

    private String call(String method, String path, String body) {
        // HTTP/1.0: the answer ends with the connection, and comes in one piece.
        try (var channel = dial()) {
            send(channel, request(method, path, "1.0", "", body));
            var answer = new ByteArrayOutputStream();
            var buffer = ByteBuffer.allocate(16 << 10);
            while (channel.read(buffer.clear()) >= 0 && answer.size() < LONGEST_ANSWER)
                answer.write(buffer.array(), 0, buffer.position());
            String[] parts = answer.toString(StandardCharsets.UTF_8).split("\r\n\r\n", 2);
            if (parts.length < 2 || !parts[0].matches("(?s)HTTP/1\\.[01] 2.*"))
                throw new FakeFailure("%s %s: %s"
                        .formatted(method, path, parts[0].lines().findFirst().orElse("")));
            return parts[1];
        } catch (IOException e) {
            throw new FakeFailure("ask the engine at %s: %s".formatted(address, e.getMessage()), e);
        }
    }

    /// A connection that carries bytes both ways once the engine has agreed.
    SocketChannel upgrade(String path, String body) {
        try {
            var channel = dial();
            send(channel, request("POST", path, "1.1", "Connection: Upgrade\r\nUpgrade: tcp\r\n", body));
            // Byte by byte: what follows the head belongs to the stream.
            var head = new StringBuilder();
            var one = ByteBuffer.allocate(1);
            while (head.indexOf("\r\n\r\n") < 0) {
                if (channel.read(one.clear()) < 0 || head.length() > LONGEST_ANSWER)
                    throw new IOException("no answer: " + head);
                head.append((char) one.get(0));
            }
            if (!head.toString().startsWith("HTTP/1.1 101")) throw new IOException(head.toString());
            return channel;
        } catch (IOException e) {
            throw new FakeFailure("open a terminal: " + e.getMessage(), e);
        }
    }

    private SocketChannel dial() throws IOException {
        if (address.getScheme().equals("tcp"))
            return SocketChannel.open(new InetSocketAddress(address.getHost(), address.getPort()));
        var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(address.getPath()));
        return channel;
    }

    private static String request(String method, String path, String version, String headers, String body) {
        int length = body.getBytes(StandardCharsets.UTF_8).length;
        return "%s %s HTTP/%s\r\nHost: docker\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s"
                .formatted(method, path, version, headers, length, body);
    }

    private static void send(SocketChannel channel, String text) throws IOException {
        var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) channel.write(bytes);
    }
}
