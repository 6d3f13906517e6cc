package hermit.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClientException.Refused;
import hermit.api.GatewayClientException.Unreachable;
import hermit.api.GatewayClientException.Unreachable.Stage;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.ProtocolException;
import java.net.Proxy;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/// Calls one gateway as one caller: JSON in, JSON out, and streams of events. It keeps nothing between calls;
/// any thread may use it.
///
/// It speaks through [HttpURLConnection], because `java.net.http` alone adds some 400 ms to a process that
/// makes one call and ends.
public final class GatewayClient {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    /// Reading is quick. What changes something may take as long as it takes: an image is pulled, a machine
    /// is started.
    private static final Duration READ = Duration.ofSeconds(60);

    private static final Duration UNLIMITED = Duration.ZERO;
    /// Four times the 15 s after which the gateway sends a comment frame into a silent stream.
    static final Duration SILENCE = Duration.ofSeconds(60);

    /// In which pieces a body of unknown length is sent.
    private static final int PIECE = 64 << 10;

    static {
        // By default HttpURLConnection sends a POST again, without a word, when a kept connection turns out to be dead:
        // a command
        // could run twice. The property is read once, before the first connection.
        System.setProperty("sun.net.http.retryPost", "false");
    }

    private final String gateway;
    private final Optional<String> token;

    /// `gateway` is its address, such as `http://127.0.0.1:4000`; a path before `/api` is kept.
    public GatewayClient(URI gateway, Optional<String> token) {
        var address = gateway.toString();
        this.gateway = address.endsWith("/") ? address.substring(0, address.length() - 1) : address;
        this.token = token;
    }

    /// What came back, whatever the status. `body` is missing where there was none, and where it is not JSON.
    public record Answer(int status, JsonNode body) {
        public boolean ok() {
            return status >= 200 && status < 300;
        }
    }

    /// A path below `/api`, each segment encoded.
    public static String path(String... segments) {
        var path = new StringBuilder("/api");
        for (String segment : segments) path.append('/').append(encode(segment));
        return path.toString();
    }

    /// A value as it stands in a path or a query.
    public static String encode(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
    }

    public JsonNode get(String path) throws GatewayClientException {
        return expectOk(exchange("GET", path, MissingNode.getInstance(), READ));
    }

    public JsonNode post(String path, JsonNode body) throws GatewayClientException {
        return expectOk(exchange("POST", path, body, UNLIMITED));
    }

    /// A POST that says everything in its path.
    public JsonNode post(String path) throws GatewayClientException {
        return post(path, MissingNode.getInstance());
    }

    public JsonNode put(String path, JsonNode body) throws GatewayClientException {
        return expectOk(exchange("PUT", path, body, UNLIMITED));
    }

    /// What is answered is missing where nothing is left to say.
    public JsonNode delete(String path) throws GatewayClientException {
        return expectOk(exchange("DELETE", path, MissingNode.getInstance(), UNLIMITED));
    }

    /// A GET that takes as long as it takes, because much has to be computed for it.
    public JsonNode compute(String path) throws GatewayClientException {
        return expectOk(exchange("GET", path, MissingNode.getInstance(), UNLIMITED));
    }

    /// A GET whose error statuses are answers too, such as `/ready`.
    public Answer ask(String path) throws Unreachable {
        return exchange("GET", path, MissingNode.getInstance(), READ);
    }

    /// Sends a request whose answer is a stream of events. An error known before the stream begins is thrown.
    public GatewayClientEvents stream(String path, JsonNode body) throws GatewayClientException {
        return events(open("POST", path, "text/event-stream", SILENCE), body);
    }

    /// Reads a stream of events on from behind the event with this id, or, without one, from its beginning.
    /// See [GatewayClientEvents#lastId()].
    public GatewayClientEvents resume(String path, Optional<String> lastId) throws GatewayClientException {
        HttpURLConnection connection = open("GET", path, "text/event-stream", SILENCE);
        lastId.ifPresent(id -> connection.setRequestProperty("Last-Event-ID", id));
        return events(connection, MissingNode.getInstance());
    }

    /// Opens a WebSocket. An error known before the upgrade is thrown as for any other call.
    public GatewayClientSocket socket(String path) throws GatewayClientException, InterruptedException {
        return GatewayClientSocket.open(URI.create(gateway + path), token, CONNECT);
    }

    /// The way to an agent's MCP route.
    public GatewayClientMcp mcp(String agent) {
        return new GatewayClientMcp(this, agent);
    }

    GatewayClientEvents events(HttpURLConnection connection, JsonNode body) throws GatewayClientException {
        connect(connection, body);
        try {
            send(connection, body);
            int status = connection.getResponseCode();
            if (status == 200) return new GatewayClientEvents(connection.getInputStream(), connection::disconnect);
            expectOk(read(connection, status));
            throw new Unreachable(Stage.BROKEN, "%s answered status %d instead of a stream".formatted(gateway, status));
        } catch (IOException e) {
            connection.disconnect();
            throw unreachable(afterSending(e), e);
        }
    }

    /// Sends a request whose answer is a file. An error known before the file begins is thrown.
    public GatewayDownload download(String path) throws GatewayClientException {
        // The sandbox may have to be brought up first, and may be slow.
        HttpURLConnection connection = open("GET", path, "*/*", UNLIMITED);
        connect(connection, MissingNode.getInstance());
        try {
            int status = connection.getResponseCode();
            if (status != 200) {
                expectOk(read(connection, status));
                throw new Unreachable(
                        Stage.BROKEN, "%s answered status %d instead of a file".formatted(gateway, status));
            }
            long length = connection.getContentLengthLong();
            return new GatewayDownload(
                    connection.getInputStream(),
                    length < 0 ? OptionalLong.empty() : OptionalLong.of(length),
                    connection::disconnect);
        } catch (IOException e) {
            connection.disconnect();
            throw unreachable(afterSending(e), e);
        }
    }

    /// A PUT of any number of bytes. Throws [IOException] only for what the upload's source throws: the gateway
    /// has then not taken what came before for the whole.
    public JsonNode upload(String path, GatewayUpload upload) throws GatewayClientException, IOException {
        HttpURLConnection connection = open("PUT", path, "application/json", UNLIMITED);
        connection.setDoOutput(true);
        connection.setRequestProperty("Content-Type", upload.contentType());
        // So a refusal comes before gigabytes have been sent in vain. Without an answer they are sent after 5 s.
        connection.setRequestProperty("Expect", "100-continue");
        if (upload.length().isPresent())
            connection.setFixedLengthStreamingMode(upload.length().getAsLong());
        else connection.setChunkedStreamingMode(PIECE);
        OutputStream body;
        try {
            connection.connect();
        } catch (IOException e) {
            throw unreachable(Stage.CONNECTING, e);
        }
        try {
            body = connection.getOutputStream();
        } catch (ProtocolException e) {
            return answer(connection);
        } catch (IOException e) {
            connection.disconnect();
            throw unreachable(afterSending(e), e);
        }
        var out = new GatewayUpload.Connection(body);
        try {
            upload.source().writeTo(out);
        } catch (IOException | RuntimeException e) {
            // A gateway that refuses says why, and may stop reading before all has been sent.
            if (out.isBroken()) return answer(connection);
            connection.disconnect();
            throw e;
        }
        try {
            body.close();
        } catch (IOException e) {
            return answer(connection);
        }
        return answer(connection);
    }

    private JsonNode answer(HttpURLConnection connection) throws GatewayClientException {
        try {
            return expectOk(read(connection, connection.getResponseCode()));
        } catch (IOException e) {
            connection.disconnect();
            throw unreachable(afterSending(e), e);
        }
    }

    private Answer exchange(String method, String path, JsonNode body, Duration timeout) throws Unreachable {
        return exchange(open(method, path, "application/json", timeout), body);
    }

    Answer exchange(HttpURLConnection connection, JsonNode body) throws Unreachable {
        connect(connection, body);
        try {
            send(connection, body);
            return read(connection, connection.getResponseCode());
        } catch (IOException e) {
            connection.disconnect();
            throw unreachable(afterSending(e), e);
        }
    }

    /// Apart from sending, so that "nobody is there" is told from "something went wrong with it".
    void connect(HttpURLConnection connection, JsonNode body) throws Unreachable {
        if (!body.isMissingNode()) {
            connection.setDoOutput(true);
            connection.setRequestProperty("Content-Type", "application/json");
        }
        try {
            connection.connect();
        } catch (IOException e) {
            throw unreachable(Stage.CONNECTING, e);
        }
    }

    static Stage afterSending(IOException e) {
        return e instanceof SocketTimeoutException ? Stage.WAITING : Stage.BROKEN;
    }

    HttpURLConnection open(String method, String path, String accept, Duration timeout) throws Unreachable {
        try {
            var connection =
                    (HttpURLConnection) URI.create(gateway + path).toURL().openConnection(Proxy.NO_PROXY);
            connection.setRequestMethod(method);
            // A redirect would carry the token to wherever the answer says.
            connection.setInstanceFollowRedirects(false);
            connection.setUseCaches(false);
            connection.setConnectTimeout((int) CONNECT.toMillis());
            connection.setReadTimeout((int) timeout.toMillis());
            connection.setRequestProperty("Accept", accept);
            token.ifPresent(secret -> connection.setRequestProperty("Authorization", "Bearer " + secret));
            return connection;
        } catch (IOException e) {
            throw unreachable(Stage.CONNECTING, e);
        }
    }

    static void send(HttpURLConnection connection, JsonNode body) throws IOException {
        if (body.isMissingNode()) return;
        try (var out = connection.getOutputStream()) {
            out.write(JsonTree.write(body).getBytes(StandardCharsets.UTF_8));
        }
    }

    static Answer read(HttpURLConnection connection, int status) throws IOException {
        if (status < 0) throw new IOException("the answer is not HTTP");
        try (InputStream in = status >= 400 ? connection.getErrorStream() : connection.getInputStream()) {
            if (in == null) return new Answer(status, MissingNode.getInstance());
            return new Answer(status, parse(in.readAllBytes()));
        }
    }

    static JsonNode parse(byte[] body) {
        try {
            return JsonTree.parse(body);
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        }
    }

    JsonNode expectOk(Answer answer) throws GatewayClientException {
        if (!answer.ok()) throw new Refused(answer.status(), problem(gateway, answer));
        if (answer.body().isMissingNode() && answer.status() == 200)
            throw new Unreachable(Stage.BROKEN, gateway + " does not answer as a gateway does: its answer is not JSON");
        return answer.body();
    }

    /// The problem document as it came, or one that says the little that is known: a proxy in between answers
    /// in its own way.
    static ObjectNode problem(String gateway, Answer answer) {
        if (answer.body() instanceof ObjectNode document && document.has("status")) return document;
        return JsonTree.object()
                .put("type", "about:blank")
                .put("title", "Not an answer of a gateway")
                .put("status", answer.status())
                .put("detail", "%s answered status %d without a problem document".formatted(gateway, answer.status()));
    }

    Unreachable unreachable(Stage stage, IOException e) {
        return new Unreachable(stage, "No answer from the gateway at %s: %s".formatted(gateway, reason(e)), e);
    }

    static String reason(IOException e) {
        String message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message;
    }
}
