package hermit.access.http;

import hermit.access.SecurityPolicies;
import hermit.access.SecurityPolicy;
import hermit.agent.AgentId;
import hermit.api.Security;
import hermit.http.Reply;
import hermit.http.Request;
import hermit.http.Route;
import hermit.http.Routes;
import java.util.List;

/// Reading and replacing an agent's security policy.
public final class SecurityRoutes implements Routes {
    private final SecurityPolicies policies;

    public SecurityRoutes(SecurityPolicies policies) {
        this.policies = policies;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get("/api/agents/{id}/security", this::get), Route.put("/api/agents/{id}/security", this::put));
    }

    private Reply get(Request request) {
        return Reply.ok(json(policies.get(id(request))));
    }

    private Reply put(Request request) {
        return Reply.ok(json(policies.replace(id(request), request.body())));
    }

    private static Security json(SecurityPolicy policy) {
        return new Security(
                policy.access().toString(),
                policy.autonomyLevel().toString(),
                policy.requireApprovalFor(),
                policy.guestsMayRun(),
                policy.accessTokenSha256().isPresent());
    }

    private static AgentId id(Request request) {
        return AgentId.inPath(request.path("id"));
    }
}
