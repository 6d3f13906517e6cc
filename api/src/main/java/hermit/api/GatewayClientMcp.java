package hermit.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import hermit.api.GatewayClientEvents.Event;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.util.Optional;
import java.util.function.Consumer;

/// Carries messages of the Model Context Protocol to one agent's MCP route, without looking into them. It keeps the
/// session that the gateway has given it. Any thread may use it, and several at once.
public final class GatewayClientMcp {
    private static final String SESSION = "Mcp-Session-Id";

    private final GatewayClient gateway;
    private final String path;
    private volatile Optional<String> session = Optional.empty();

    GatewayClientMcp(GatewayClient gateway, String agent) {
        this.gateway = gateway;
        this.path = GatewayClient.path("agents", agent, "mcp");
    }

    /// Sends the message that opens a session. All later messages belong to it.
    public void open(JsonNode initialize, Consumer<JsonNode> answers) throws GatewayClientException {
        post(initialize, Optional.empty(), () -> {}, answers);
    }

    /// Sends a message, and hands on what comes back, in order, until all of it has come. `taken` runs as soon as the
    /// gateway has begun with it. Throws [GatewayClientException.Refused] with the
    /// status 404 if the session is not there any more: nothing has been done then.
    public void send(JsonNode message, Runnable taken, Consumer<JsonNode> answers) throws GatewayClientException {
        post(message, session, taken, answers);
    }

    /// What the gateway says by itself. The caller closes it.
    public GatewayClientEvents listen() throws GatewayClientException {
        HttpURLConnection connection = gateway.open("GET", path, "text/event-stream", GatewayClient.SILENCE);
        session.ifPresent(id -> connection.setRequestProperty(SESSION, id));
        return gateway.events(connection, MissingNode.getInstance());
    }

    /// Ends the session, if there is one.
    public void end() throws GatewayClientException {
        Optional<String> open = session;
        if (open.isEmpty()) return;
        HttpURLConnection connection = gateway.open("DELETE", path, "application/json", GatewayClient.SILENCE);
        connection.setRequestProperty(SESSION, open.get());
        gateway.expectOk(gateway.exchange(connection, MissingNode.getInstance()));
        session = Optional.empty();
    }

    private void post(JsonNode message, Optional<String> id, Runnable taken, Consumer<JsonNode> answers)
            throws GatewayClientException {
        HttpURLConnection connection =
                gateway.open("POST", path, "application/json, text/event-stream", GatewayClient.SILENCE);
        id.ifPresent(each -> connection.setRequestProperty(SESSION, each));
        gateway.connect(connection, message);
        try {
            GatewayClient.send(connection, message);
            int status = connection.getResponseCode();
            taken.run();
            Optional.ofNullable(connection.getHeaderField(SESSION)).ifPresent(given -> session = Optional.of(given));
            if (status == 200 && isStream(connection)) {
                hear(connection, answers);
                return;
            }
            JsonNode body = gateway.expectOk(GatewayClient.read(connection, status));
            if (status == 200) answers.accept(body);
        } catch (IOException e) {
            connection.disconnect();
            throw gateway.unreachable(GatewayClient.afterSending(e), e);
        }
    }

    private static boolean isStream(HttpURLConnection connection) {
        String type = connection.getContentType();
        return type != null && type.startsWith("text/event-stream");
    }

    private static void hear(HttpURLConnection connection, Consumer<JsonNode> answers)
            throws IOException, GatewayClientException {
        try (var events = new GatewayClientEvents(connection.getInputStream(), connection::disconnect)) {
            for (Optional<Event> next = events.next(); next.isPresent(); next = events.next())
                if (next.get().name().equals("message"))
                    answers.accept(next.get().data());
        }
    }
}
