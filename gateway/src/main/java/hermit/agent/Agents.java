package hermit.agent;

import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.NotFound;
import hermit.world.World;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;

/// What one can do with agents that are there. Making and deleting them concerns their sandboxes, too: see
/// `hermit.sandbox.Provisioning`.
public final class Agents {
    private final AgentStore store;
    private final World world;

    public Agents(AgentStore store, World world) {
        this.store = store;
        this.world = world;
    }

    /// Throws [NotFound].
    public Agent get(AgentId id) {
        return store.find(id).orElseThrow(() -> notFound(id));
    }

    public Page<Agent> list(PageRequest page) {
        return store.list(page);
    }

    public Page<Agent> list(Set<UUID> uids, PageRequest page) {
        return store.list(uids, page);
    }

    /// Replaces the whole config. With `ifVersion`, only if nobody changed it since: [Conflict] otherwise.
    public Agent updateConfig(AgentId id, OptionalLong ifVersion, Map<String, Object> document) {
        var config = AgentConfig.of(document, "");
        Agent agent = get(id);
        return store.updateConfig(agent.uid(), ifVersion, config, world.now()).orElseThrow(() -> {
            get(id); // gone in between: 404
            return new Conflict("The config of agent '%s' has been changed since version %d was read"
                    .formatted(id, ifVersion.orElse(agent.version())));
        });
    }

    private static NotFound notFound(AgentId id) {
        return new NotFound("No such agent: " + id);
    }
}
