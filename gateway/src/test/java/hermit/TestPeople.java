package hermit;

import hermit.http.TestClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// People, channels and programs of a gateway under test, each with a client of theirs.
public final class TestPeople implements AutoCloseable {
    private final TestGateway gateway;
    private final List<TestClient> clients = new ArrayList<>();

    public TestPeople(TestGateway gateway) {
        this.gateway = gateway;
    }

    /// Somebody with a token.
    public record Somebody(String id, TestClient client) {}

    public Somebody person(String name) {
        String id = text(gateway.client.post("/api/users", Map.of("name", name)), "id");
        return new Somebody(id, withToken(Map.of("name", "t", "user_id", id)));
    }

    /// A person with this role at an agent.
    public Somebody member(String agent, String role) {
        Somebody somebody = person(role);
        var added =
                gateway.client.post("/api/agents/" + agent + "/members", Map.of("user_id", somebody.id, "role", role));
        if (added.status() != 200) throw new AssertionError(added.text());
        return somebody;
    }

    public TestClient channel(String name) {
        return withToken(Map.of("name", "t", "channel", name));
    }

    public TestClient program(String agent) {
        return withToken(Map.of("name", "t", "agent_id", agent));
    }

    public TestClient withToken(Map<String, Object> wanted) {
        var client = new TestClient(gateway.port(), text(gateway.client.post("/api/tokens", wanted), "secret"));
        clients.add(client);
        return client;
    }

    private static String text(TestClient.Answer answer, String field) {
        if (answer.status() != 201) throw new AssertionError(answer.text());
        return String.valueOf(answer.object().get(field));
    }

    @Override
    public void close() {
        clients.forEach(TestClient::close);
    }
}
