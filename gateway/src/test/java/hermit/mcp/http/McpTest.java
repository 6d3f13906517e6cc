package hermit.mcp.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import hermit.People;
import hermit.People.Someone;
import hermit.TestGateway;
import hermit.http.TestClient;
import hermit.http.TestClient.Answer;
import hermit.http.TestEvents;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Timeout;

/// A client of MCP at a gateway, written out: what the official one cannot be made to do is tried here.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
abstract class McpTest {
    static final String MCP = "/api/agents/main/mcp";

    final TestGateway gateway = new TestGateway();
    final TestClient admin = gateway.client;
    final People people = new People(gateway);
    final JsonMapper json = new JsonMapper();
    Someone user = new Someone("", "", admin);
    String session = "";

    @BeforeEach
    void a_session_of_a_user() {
        people.agent("main", "private");
        user = people.member("main", "user");
        session = initialize(user).header("Mcp-Session-Id");
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    void supervised() {
        admin.put(
                "/api/agents/main/security",
                Map.of("access", "private", "autonomy_level", "supervised", "require_approval_for", List.of("exec")));
    }

    UUID sandboxId() {
        return UUID.fromString(String.valueOf(
                admin.get("/api/agents/main/sandboxes/default").object().get("id")));
    }

    void awaitStarted(int commands) {
        while (true) {
            synchronized (gateway.docker.started) {
                if (gateway.docker.started.size() == commands) return;
            }
            Thread.onSpinWait();
        }
    }

    void cancel(int id) {
        var params = Map.of("requestId", id, "reason", "enough");
        var message = Map.of("jsonrpc", "2.0", "method", "notifications/cancelled", "params", params);
        assertThat(post(user, session, message).status()).isEqualTo(202);
    }

    boolean awaitProgress(TestEvents stream, String text) {
        try {
            for (var event = stream.next(); event.isPresent(); event = stream.next()) {
                JsonNode message = json.readTree(event.get().data());
                if (message.at("/params/message").asText().equals(text)) return true;
            }
            return false;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /// The last event of each name.
    static Map<String, String> last(TestEvents stream) throws Exception {
        var last = new HashMap<String, String>();
        for (var event = stream.next(); event.isPresent(); event = stream.next())
            last.put(event.get().name(), event.get().data());
        return last;
    }

    JsonNode call(Someone who, String tool, Map<String, Object> arguments) {
        Answer answer = post(who, session, message(99, "tools/call", Map.of("name", tool, "arguments", arguments)));
        try {
            return json.readTree(answer.text()).get("result");
        } catch (Exception e) {
            throw new AssertionError(answer.text(), e);
        }
    }

    static Map<String, Object> exec(int id, String command) {
        return message(id, "tools/call", Map.of("name", "exec", "arguments", Map.of("command", command)));
    }

    static Map<String, Object> request(Object id, String method) {
        return message(id, method, Map.of());
    }

    static Map<String, Object> message(Object id, String method, Map<String, Object> params) {
        var message = new LinkedHashMap<String, Object>(Map.of("jsonrpc", "2.0", "method", method));
        message.put("id", id);
        message.put("params", params);
        return message;
    }

    Answer initialize(Someone who) {
        return initialize(who, "2025-06-18");
    }

    Answer initialize(Someone who, String version) {
        var client = Map.of("name", "test", "version", "1");
        return post(
                who,
                "",
                message(
                        0,
                        "initialize",
                        Map.of("protocolVersion", version, "capabilities", Map.of(), "clientInfo", client)));
    }

    Answer post(Someone who, String session, Map<String, Object> message) {
        return send(
                who,
                session,
                BodyPublishers.ofString(write(message)),
                "application/json",
                Map.of("Accept", "application/json"));
    }

    Answer send(Someone who, String session, HttpRequest.BodyPublisher body, String type, Map<String, String> headers) {
        var request = request(who, session).header("Content-Type", type).POST(body);
        headers.forEach(request::header);
        return who.client().send(request);
    }

    HttpRequest streamed(Map<String, Object> message, String progressToken) {
        return streaming(message, progressToken).build();
    }

    HttpRequest.Builder streaming(Map<String, Object> message, String progressToken) {
        var params = copy(Objects.requireNonNull(message.get("params")));
        params.put("_meta", Map.of("progressToken", progressToken));
        message.put("params", params);
        return request(user, session)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .POST(BodyPublishers.ofString(write(message)));
    }

    static Map<String, Object> copy(Object map) {
        var copy = new LinkedHashMap<String, Object>();
        ((Map<?, ?>) map).forEach((key, value) -> copy.put(String.valueOf(key), value));
        return copy;
    }

    static HttpRequest.Builder request(Someone who, String session) {
        var request = who.client().request(MCP);
        return session.isEmpty() ? request : request.header("Mcp-Session-Id", session);
    }

    String write(Object value) {
        try {
            return json.writeValueAsString(value);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
