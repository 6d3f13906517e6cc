package hermit.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.JsonTree;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// A gateway with terminals, on bare sockets: a request that is no upgrade gets the answer that was set, and
/// each WebSocket is handed to the test.
final class FakeTerminalGateway implements AutoCloseable {
    record Asked(String line, Map<String, String> headers, JsonNode body) {}

    private record Answer(int status, String json) {}

    /// RFC 6455, section 1.3.
    private static final String ACCEPT = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    private final ServerSocket server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Asked> asked = new CopyOnWriteArrayList<>();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final BlockingQueue<Connection> connections = new LinkedBlockingQueue<>();
    private final Queue<Answer> refusals = new ArrayDeque<>();
    private final Map<String, Answer> special = new ConcurrentHashMap<>();
    private volatile Answer answer = new Answer(201, "{\"id\":\"t1\"}");

    FakeTerminalGateway() {
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        threads.execute(this::accept);
    }

    String url() {
        return "http://127.0.0.1:" + server.getLocalPort();
    }

    List<Asked> asked() {
        return List.copyOf(asked);
    }

    /// What plain requests are answered with, unless there is a special answer.
    void answers(int status, String json) {
        answer = new Answer(status, json);
    }

    /// What this request, such as `GET /x`, is answered with.
    void answers(String line, String json) {
        special.put(line, new Answer(200, json));
    }

    /// The next upgrade is refused.
    void refuse(int status, String code) {
        synchronized (refusals) {
            refusals.add(new Answer(
                    status, "{\"status\":%d,\"code\":\"%s\",\"detail\":\"refused\"}".formatted(status, code)));
        }
    }

    /// The next WebSocket that somebody opens.
    Connection connection() throws InterruptedException {
        return some(connections);
    }

    private static <T> T some(BlockingQueue<T> queue) throws InterruptedException {
        T found = queue.poll(30, TimeUnit.SECONDS);
        if (found == null) throw new AssertionError("nothing came");
        return found;
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                sockets.add(socket);
                threads.execute(() -> serve(socket));
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            var in = new DataInputStream(socket.getInputStream());
            while (true) {
                Asked request = read(in);
                asked.add(request);
                if (!"websocket".equalsIgnoreCase(request.headers.get("upgrade"))) {
                    write(socket.getOutputStream(), special.getOrDefault(request.line, answer));
                    continue;
                }
                Answer refusal;
                synchronized (refusals) {
                    refusal = refusals.poll();
                }
                if (refusal != null) {
                    write(socket.getOutputStream(), refusal);
                    continue;
                }
                var key = request.headers.getOrDefault("sec-websocket-key", "");
                socket.getOutputStream()
                        .write(("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                        + "Sec-WebSocket-Accept: " + accept(key) + "\r\n\r\n")
                                .getBytes(ISO_8859_1));
                var connection = new Connection(socket, request.line);
                connections.add(connection);
                connection.read(in);
                return;
            }
        } catch (IOException e) {
            // Whoever was there has gone.
        }
    }

    private static String accept(String key) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-1").digest((key + ACCEPT).getBytes(ISO_8859_1));
            return Base64.getEncoder().encodeToString(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Asked read(DataInputStream in) throws IOException {
        var line = line(in);
        var headers = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
        for (var each = line(in); !each.isEmpty(); each = line(in)) {
            int colon = each.indexOf(':');
            headers.put(each.substring(0, colon), each.substring(colon + 1).strip());
        }
        byte[] body = new byte[Integer.parseInt(headers.getOrDefault("content-length", "0"))];
        in.readFully(body);
        return new Asked(line.replace(" HTTP/1.1", ""), headers, parse(new String(body, UTF_8)));
    }

    private static String line(DataInputStream in) throws IOException {
        var line = new StringBuilder();
        for (int b = in.readByte(); b != '\n'; b = in.readByte()) if (b != '\r') line.append((char) b);
        return line.toString();
    }

    private static void write(OutputStream out, Answer answer) throws IOException {
        byte[] body = answer.json.getBytes(UTF_8);
        out.write("HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                .formatted(answer.status, body.length)
                .getBytes(ISO_8859_1));
        out.write(body);
    }

    private static JsonNode parse(String text) {
        try {
            return JsonTree.parse(text);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(text, e);
        }
    }

    @Override
    public void close() {
        try {
            server.close();
            for (Socket socket : sockets) socket.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        threads.shutdownNow();
    }

    /// One WebSocket, seen from the gateway.
    static final class Connection {
        private static final int TEXT = 1;
        private static final int BINARY = 2;
        private static final int CLOSE = 8;
        private static final int PING = 9;
        private static final int PONG = 10;

        private final Socket socket;
        private final String line;
        private final BlockingQueue<JsonNode> messages = new LinkedBlockingQueue<>();
        private final BlockingQueue<String> keys = new LinkedBlockingQueue<>();
        private final BlockingQueue<Integer> closes = new LinkedBlockingQueue<>();

        private Connection(Socket socket, String line) {
            this.socket = socket;
            this.line = line;
        }

        /// The request line that it began with.
        String line() {
            return line;
        }

        /// Sends a text frame.
        Connection says(String json) throws IOException {
            send(TEXT, json.getBytes(UTF_8));
            return this;
        }

        /// Sends a binary frame.
        Connection prints(String text) throws IOException {
            send(BINARY, text.getBytes(UTF_8));
            return this;
        }

        void closes(int code) throws IOException {
            send(CLOSE, new byte[] {(byte) (code >> 8), (byte) code});
        }

        /// Breaks off in the middle of everything.
        void breaks() throws IOException {
            socket.close();
        }

        /// The next text frame of the other side.
        JsonNode message() throws InterruptedException {
            return some(messages);
        }

        /// The next binary frame of the other side.
        String keys() throws InterruptedException {
            return some(keys);
        }

        /// The code with which the other side closes.
        int closed() throws InterruptedException {
            return some(closes);
        }

        private synchronized void send(int opcode, byte[] payload) throws IOException {
            var out = socket.getOutputStream();
            out.write(0x80 | opcode);
            if (payload.length < 126) {
                out.write(payload.length);
            } else {
                out.write(126);
                out.write(payload.length >> 8);
                out.write(payload.length);
            }
            out.write(payload);
            out.flush();
        }

        private void read(DataInputStream in) throws IOException {
            while (true) {
                int opcode = in.readByte() & 0x0F;
                int length = in.readByte() & 0x7F;
                if (length == 126) length = in.readUnsignedShort();
                byte[] mask = new byte[4];
                in.readFully(mask);
                byte[] payload = new byte[length];
                in.readFully(payload);
                for (int i = 0; i < length; i++) payload[i] ^= mask[i % 4];
                switch (opcode) {
                    case TEXT -> messages.add(parse(new String(payload, UTF_8)));
                    case BINARY -> keys.add(new String(payload, UTF_8));
                    case PING -> send(PONG, payload);
                    case CLOSE -> {
                        closes.add(((payload[0] & 0xFF) << 8) | (payload[1] & 0xFF));
                        send(CLOSE, payload);
                        return;
                    }
                    default -> throw new IOException("unexpected frame " + opcode);
                }
            }
        }
    }
}
