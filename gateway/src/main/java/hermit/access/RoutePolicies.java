package hermit.access;

import hermit.access.RoutePolicy.AdminOnly;
import hermit.access.RoutePolicy.Connect;
import hermit.access.RoutePolicy.Creators;
import hermit.access.RoutePolicy.Everybody;
import hermit.access.RoutePolicy.Join;
import hermit.access.RoutePolicy.Known;
import hermit.access.RoutePolicy.OfAgent;
import hermit.access.RoutePolicy.OwnLogin;
import hermit.access.RoutePolicy.People;
import hermit.access.RoutePolicy.Talk;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The one table of what each route demands. A route that is not in it does not exist: the server refuses to
/// start with one.
public final class RoutePolicies {
    private static final RoutePolicy EVERYBODY = new Everybody();
    private static final RoutePolicy ADMIN = new AdminOnly();
    private static final RoutePolicy KNOWN = new Known();
    private static final RoutePolicy OWN_LOGIN = new OwnLogin();
    private static final RoutePolicy PEOPLE = new People();
    private static final RoutePolicy MEMBER = new OfAgent(Role.GUEST);
    private static final RoutePolicy TALK = new Talk();
    private static final RoutePolicy OWNER = new OfAgent(Role.OWNER);

    private final Map<String, RoutePolicy> table;

    /// Keys are a method and a path template, as in `GET /api/agents/{id}`.
    public RoutePolicies(Map<String, RoutePolicy> table) {
        this.table = Map.copyOf(table);
    }

    /// The gateway's own table.
    public static RoutePolicies ofTheGateway() {
        var table = new LinkedHashMap<String, RoutePolicy>();
        table.put("GET /health", EVERYBODY);
        table.put("GET /ready", EVERYBODY);
        table.put("GET /openapi.json", EVERYBODY);
        table.put("GET /metrics", ADMIN);

        table.put("GET /", EVERYBODY);
        table.put("GET /assets/{file}", EVERYBODY);
        table.put("GET /agents", EVERYBODY);
        table.put("GET /agents/{id}", EVERYBODY);
        table.put("GET /agents/{id}/{tab}", EVERYBODY);
        table.put("GET /agents/{id}/sandboxes/{alias}", EVERYBODY);
        table.put("GET /agents/{id}/sandboxes/{alias}/{tab}", EVERYBODY);
        table.put("GET /agents/{id}/sandboxes/{alias}/terminals/{tid}", EVERYBODY);
        table.put("GET /agents/{id}/sessions/{sid}", EVERYBODY);
        table.put("GET /sandboxes", EVERYBODY);
        table.put("GET /approvals", EVERYBODY);
        table.put("GET /approvals/rules", EVERYBODY);
        table.put("GET /people", EVERYBODY);
        table.put("GET /tokens", EVERYBODY);
        table.put("GET /skills", EVERYBODY);
        table.put("GET /audit", EVERYBODY);
        table.put("GET /system", EVERYBODY);

        table.put("GET /api/agents", KNOWN);
        table.put("POST /api/agents", new Creators());
        table.put("GET /api/agents/{id}", MEMBER);
        table.put("DELETE /api/agents/{id}", OWNER);
        table.put("GET /api/agents/{id}/config", OWNER);
        table.put("PUT /api/agents/{id}/config", OWNER);
        table.put("GET /api/agents/{id}/security", OWNER);
        table.put("PUT /api/agents/{id}/security", OWNER);

        table.put("GET /api/agents/{id}/me", MEMBER);
        table.put("GET /api/agents/{id}/members", OWNER);
        table.put("POST /api/agents/{id}/members", new Join());
        table.put("PUT /api/agents/{id}/members/{user_id}", OWNER);
        table.put("DELETE /api/agents/{id}/members/{user_id}", OWNER);

        table.put("GET /api/users", ADMIN);
        table.put("POST /api/users", ADMIN);
        table.put("GET /api/users/{user_id}", ADMIN);
        table.put("DELETE /api/users/{user_id}", ADMIN);
        table.put("POST /api/users/{user_id}/identities", ADMIN);
        table.put("DELETE /api/users/{user_id}/identities", ADMIN);
        table.put("POST /api/users/{user_id}/merge", ADMIN);
        table.put("GET /api/tokens", PEOPLE);
        table.put("POST /api/tokens", PEOPLE);
        table.put("DELETE /api/tokens/{token_id}", PEOPLE);
        table.put("POST /api/auth/login", EVERYBODY);
        table.put("POST /api/auth/logout", OWN_LOGIN);
        table.put("POST /api/auth/ticket", OWN_LOGIN);
        table.put("GET /api/me", KNOWN);

        table.put("GET /api/audit", ADMIN);
        table.put("GET /api/audit/export", ADMIN);
        table.put("GET /api/audit/verify", ADMIN);
        table.put("GET /api/agents/{id}/audit", OWNER);

        table.put("GET /api/sandbox-presets", PEOPLE);
        table.put("GET /api/models", PEOPLE);
        table.put("GET /api/sandboxes", ADMIN);
        table.put("GET /api/sandboxes/leftovers", ADMIN);
        table.put("POST /api/sandboxes/{uuid}/reclaim", ADMIN);
        table.put("GET /api/skills", PEOPLE);
        table.put("POST /api/skills/scan", ADMIN);
        table.put("POST /api/skills/{skill}/enable", ADMIN);
        table.put("POST /api/skills/{skill}/disable", ADMIN);
        table.put("GET /api/agents/{id}/skills", OWNER);
        table.put("POST /api/agents/{id}/skills/{skill}/enable", OWNER);
        table.put("POST /api/agents/{id}/skills/{skill}/disable", OWNER);
        table.put("GET /api/agents/{id}/sandboxes", OWNER);
        table.put("POST /api/agents/{id}/sandboxes", OWNER);
        table.put("GET /api/agents/{id}/sandboxes/{alias}", OWNER);
        table.put("PATCH /api/agents/{id}/sandboxes/{alias}", OWNER);
        table.put("DELETE /api/agents/{id}/sandboxes/{alias}", OWNER);
        table.put("POST /api/agents/{id}/sandboxes/{alias}/start", OWNER);
        table.put("POST /api/agents/{id}/sandboxes/{alias}/stop", OWNER);

        table.put("GET /api/agents/{id}/sandboxes/{alias}/execs", OWNER);
        table.put("POST /api/agents/{id}/sandboxes/{alias}/execs", OWNER);
        table.put("GET /api/agents/{id}/sandboxes/{alias}/execs/{exec_id}", OWNER);
        table.put("DELETE /api/agents/{id}/sandboxes/{alias}/execs/{exec_id}", OWNER);
        table.put("GET /api/agents/{id}/sandboxes/{alias}/execs/{exec_id}/events", OWNER);
        table.put("POST /api/agents/{id}/sandboxes/{alias}/execs/{exec_id}/stdin", OWNER);
        table.put("POST /api/agents/{id}/sandboxes/{alias}/execs/{exec_id}/signal", OWNER);

        table.put("GET /api/agents/{id}/sandboxes/{alias}/terminals", OWNER);
        table.put("POST /api/agents/{id}/sandboxes/{alias}/terminals", OWNER);
        table.put("GET /api/agents/{id}/sandboxes/{alias}/terminals/{tid}", OWNER);
        table.put("DELETE /api/agents/{id}/sandboxes/{alias}/terminals/{tid}", OWNER);
        table.put("WS /api/agents/{id}/sandboxes/{alias}/terminals/{tid}", OWNER);

        table.put("GET /api/agents/{id}/sandboxes/{alias}/files", OWNER);
        table.put("PUT /api/agents/{id}/sandboxes/{alias}/files", OWNER);
        table.put("DELETE /api/agents/{id}/sandboxes/{alias}/files", OWNER);
        table.put("GET /api/agents/{id}/sandboxes/{alias}/files/list", OWNER);
        table.put("GET /api/agents/{id}/sandboxes/{alias}/files/stat", OWNER);
        table.put("GET /api/agents/{id}/sandboxes/{alias}/files/archive", OWNER);
        table.put("PUT /api/agents/{id}/sandboxes/{alias}/files/archive", OWNER);
        table.put("POST /api/agents/{id}/sandboxes/{alias}/files/mkdir", OWNER);
        table.put("POST /api/agents/{id}/sandboxes/{alias}/files/move", OWNER);

        table.put("GET /api/agents/{id}/sessions", TALK);
        table.put("POST /api/agents/{id}/sessions", TALK);
        table.put("GET /api/agents/{id}/sessions/{sid}", TALK);
        table.put("DELETE /api/agents/{id}/sessions/{sid}", TALK);
        table.put("POST /api/agents/{id}/sessions/{sid}/end", TALK);
        table.put("GET /api/agents/{id}/sessions/{sid}/messages", TALK);
        table.put("POST /api/agents/{id}/sessions/{sid}/messages", TALK);
        table.put("GET /api/agents/{id}/sessions/{sid}/turns/{turn_id}", TALK);
        table.put("GET /api/agents/{id}/sessions/{sid}/events", TALK);
        table.put("POST /api/agents/{id}/sessions/{sid}/tools/{tool}", TALK);
        table.put("POST /api/agents/{id}/sessions/{sid}/cancel", TALK);

        table.put("WS /api/agents/{id}/ws", new Connect());

        table.put("GET /api/agents/{id}/mcp", TALK);
        table.put("POST /api/agents/{id}/mcp", TALK);
        table.put("DELETE /api/agents/{id}/mcp", TALK);

        table.put("GET /api/approvals", PEOPLE);
        table.put("GET /api/agents/{id}/approvals", OWNER);
        table.put("GET /api/approvals/events", PEOPLE);
        table.put("GET /api/approvals/{approval_id}", PEOPLE);
        table.put("POST /api/approvals/{approval_id}/decision", PEOPLE);
        table.put("GET /api/approval-rules", PEOPLE);
        table.put("DELETE /api/approval-rules/{rule_id}", PEOPLE);
        return new RoutePolicies(table);
    }

    /// Empty if there is no such route.
    public Optional<RoutePolicy> of(String method, String path) {
        return Optional.ofNullable(table.get(method + " " + path));
    }

    /// All routes that have a policy, as in `GET /api/agents/{id}`.
    public Set<String> routes() {
        return table.keySet();
    }
}
