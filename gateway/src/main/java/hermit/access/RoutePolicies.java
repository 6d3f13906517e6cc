package hermit.access;

import hermit.access.RoutePolicy.AdminOnly;
import hermit.access.RoutePolicy.Everybody;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The one table of what each route demands. A route that is not in it does not exist: the server refuses to
/// start with one.
public final class RoutePolicies {
    private static final RoutePolicy EVERYBODY = new Everybody();
    private static final RoutePolicy ADMIN = new AdminOnly();

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

        table.put("GET /api/agents", ADMIN);
        table.put("POST /api/agents", ADMIN);
        table.put("GET /api/agents/{id}", ADMIN);
        table.put("DELETE /api/agents/{id}", ADMIN);
        table.put("GET /api/agents/{id}/config", ADMIN);
        table.put("PUT /api/agents/{id}/config", ADMIN);
        table.put("GET /api/agents/{id}/security", ADMIN);
        table.put("PUT /api/agents/{id}/security", ADMIN);

        table.put("GET /api/sandbox-presets", ADMIN);
        table.put("GET /api/sandboxes", ADMIN);
        table.put("GET /api/agents/{id}/sandboxes", ADMIN);
        table.put("POST /api/agents/{id}/sandboxes", ADMIN);
        table.put("GET /api/agents/{id}/sandboxes/{alias}", ADMIN);
        table.put("PATCH /api/agents/{id}/sandboxes/{alias}", ADMIN);
        table.put("DELETE /api/agents/{id}/sandboxes/{alias}", ADMIN);
        table.put("POST /api/agents/{id}/sandboxes/{alias}/start", ADMIN);
        table.put("POST /api/agents/{id}/sandboxes/{alias}/stop", ADMIN);

        table.put("GET /api/agents/{id}/sandboxes/{alias}/execs", ADMIN);
        table.put("POST /api/agents/{id}/sandboxes/{alias}/execs", ADMIN);
        table.put("GET /api/agents/{id}/sandboxes/{alias}/execs/{exec_id}", ADMIN);
        table.put("DELETE /api/agents/{id}/sandboxes/{alias}/execs/{exec_id}", ADMIN);
        table.put("GET /api/agents/{id}/sandboxes/{alias}/execs/{exec_id}/events", ADMIN);
        table.put("POST /api/agents/{id}/sandboxes/{alias}/execs/{exec_id}/stdin", ADMIN);
        table.put("POST /api/agents/{id}/sandboxes/{alias}/execs/{exec_id}/signal", ADMIN);

        table.put("GET /api/agents/{id}/sandboxes/{alias}/terminals", ADMIN);
        table.put("POST /api/agents/{id}/sandboxes/{alias}/terminals", ADMIN);
        table.put("GET /api/agents/{id}/sandboxes/{alias}/terminals/{tid}", ADMIN);
        table.put("DELETE /api/agents/{id}/sandboxes/{alias}/terminals/{tid}", ADMIN);
        table.put("WS /api/agents/{id}/sandboxes/{alias}/terminals/{tid}", ADMIN);
        table.put("GET /api/agents/{id}/sandboxes/{alias}/files", ADMIN);
        table.put("PUT /api/agents/{id}/sandboxes/{alias}/files", ADMIN);
        table.put("DELETE /api/agents/{id}/sandboxes/{alias}/files", ADMIN);
        table.put("GET /api/agents/{id}/sandboxes/{alias}/files/list", ADMIN);
        table.put("GET /api/agents/{id}/sandboxes/{alias}/files/stat", ADMIN);
        table.put("GET /api/agents/{id}/sandboxes/{alias}/files/archive", ADMIN);
        table.put("PUT /api/agents/{id}/sandboxes/{alias}/files/archive", ADMIN);
        table.put("POST /api/agents/{id}/sandboxes/{alias}/files/mkdir", ADMIN);
        table.put("POST /api/agents/{id}/sandboxes/{alias}/files/move", ADMIN);
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
