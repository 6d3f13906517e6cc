package hermit;

import hermit.http.TestClient;
import java.util.List;
import java.util.Map;

/// Makes people, programs and agents in a gateway under test, as its admin does.
public final class People {
    private final TestGateway gateway;

    public People(TestGateway gateway) {
        this.gateway = gateway;
    }

    /// Somebody, with a token.
    public record Someone(String id, String token, TestClient client) {}

    public Someone person(String name) {
        String id = String.valueOf(
                gateway.client.post("/api/users", Map.of("name", name)).object().get("id"));
        return holder(id, Map.of("name", "test", "user_id", id));
    }

    /// Somebody with a role at an agent.
    public Someone member(String agent, String role) {
        var someone = person(role + " of " + agent);
        join(agent, someone, role);
        return someone;
    }

    public void join(String agent, Someone someone, String role) {
        gateway.client.post("/api/agents/" + agent + "/members", Map.of("user_id", someone.id, "role", role));
    }

    /// The same person by a token that only reads.
    public Someone reading(Someone someone) {
        return holder(someone.id, Map.of("name", "test", "user_id", someone.id, "scope", "read"));
    }

    public Someone program(String agent) {
        return holder(agent, Map.of("name", "test", "agent_id", agent));
    }

    public Someone channel(String name) {
        return holder(name, Map.of("name", "test", "channel", name));
    }

    public void agent(String id, String access) {
        gateway.client.post("/api/agents", Map.of("id", id));
        policy(id, access);
    }

    /// Sets who may come to an agent; its access token is `open sesame`.
    public void policy(String agent, String access) {
        gateway.client.put(
                "/api/agents/" + agent + "/security",
                Map.of(
                        "access",
                        access,
                        "autonomy_level",
                        "full",
                        "require_approval_for",
                        List.of(),
                        "access_token",
                        "open sesame"));
    }

    private Someone holder(String id, Map<String, Object> wanted) {
        String secret = String.valueOf(
                gateway.client.post("/api/tokens", wanted).object().get("secret"));
        return new Someone(id, secret, gateway.client.as(secret));
    }
}
