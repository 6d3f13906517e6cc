package hermit.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A connection without the manners of an HTTP client.
public final class Raw implements AutoCloseable {
    /// So that a server that never answers fails a test and does not hold it.
    private static final int PATIENCE_MILLIS = 60_000;

    private final Socket socket;

    public Raw(int port) {
        try {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setSoTimeout(PATIENCE_MILLIS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The text of a request that closes its connection: a request line and headers, with `Host: localhost`
    /// unless one of them says otherwise.
    public static String request(String line, String... headers) {
        var text = new StringBuilder(line).append(" HTTP/1.1\r\n");
        for (String usual : List.of("Host: localhost", "Connection: close")) {
            String name = usual.substring(0, usual.indexOf(' '));
            if (Arrays.stream(headers).noneMatch(each -> each.startsWith(name)))
                text.append(usual).append("\r\n");
        }
        for (String header : headers) text.append(header).append("\r\n");
        return text.append("\r\n").toString();
    }

    /// A request for a WebSocket at this path.
    public static String handshake(String path, String... headers) {
        var all = new ArrayList<>(List.of(
                "Connection: Upgrade, close",
                "Upgrade: websocket",
                "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="));
        all.addAll(List.of(headers));
        return request("GET " + path, all.toArray(String[]::new));
    }

    public static String exchange(int port, String request) {
        try (var raw = new Raw(port)) {
            raw.send(request);
            return raw.readToEnd();
        }
    }

    public void send(String text) {
        try {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Reads until `end` has come, that included.
    public String readUntil(String end) {
        var bytes = new ByteArrayOutputStream();
        try {
            while (!bytes.toString(StandardCharsets.UTF_8).endsWith(end)) {
                int next = socket.getInputStream().read();
                if (next < 0) throw new IllegalStateException("ended too early: " + bytes);
                bytes.write(next);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    public String readToEnd() {
        var bytes = new ByteArrayOutputStream();
        try {
            socket.getInputStream().transferTo(bytes);
        } catch (IOException e) {
            // A server that turns a request away without reading all of it may reset the connection.
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /// Sends nothing more, and still reads.
    public void endOutput() {
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Closes so that the other end is told at its next write.
    public void reset() {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
