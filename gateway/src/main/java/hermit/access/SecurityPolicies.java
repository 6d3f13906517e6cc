package hermit.access;

import hermit.agent.AgentId;
import hermit.agent.Agents;
import hermit.problem.Fields;
import hermit.problem.GatewayException.NotFound;
import hermit.world.World;
import java.util.Map;
import java.util.UUID;

/// Reading and replacing the policy of an agent. A document is checked whole before anything is stored: a refused one
/// leaves the old in force.
public final class SecurityPolicies {
    private final Agents agents;
    private final SecurityStore store;
    private final World world;

    public SecurityPolicies(Agents agents, SecurityStore store, World world) {
        this.agents = agents;
        this.store = store;
        this.world = world;
    }

    public SecurityPolicy get(AgentId id) {
        return of(agents.get(id).uid(), id);
    }

    public SecurityPolicy replace(AgentId id, Map<String, Object> document) {
        UUID uid = agents.get(id).uid();
        var fields = Fields.of(document);
        var policy = of(uid, id).readReplacement(fields);
        fields.finish();
        if (!store.update(uid, policy, world.now())) throw notFound(id);
        return policy;
    }

    private SecurityPolicy of(UUID uid, AgentId id) {
        return store.find(uid).orElseThrow(() -> notFound(id));
    }

    private static NotFound notFound(AgentId id) {
        return new NotFound("No such agent: " + id);
    }
}
