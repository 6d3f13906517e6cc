package hermit.agent;

import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.Fields;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.NotFound;
import hermit.world.World;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;

/// What one can do with agents that are there. Making and deleting them concerns their sandboxes, too: see
/// `hermit.sandbox.Provisioning`.
public final class Agents {
    private final AgentStore store;
    private final Set<String> models;
    private final World world;

    public Agents(AgentStore store, World world) {
        this(store, Set.of(), world);
    }

    /// `models`: the names from which an agent's config may choose one.
    public Agents(AgentStore store, Set<String> models, World world) {
        this.store = store;
        this.models = Collections.unmodifiableSet(new LinkedHashSet<>(models));
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
        var fields = Fields.of(document);
        var config = read(document, fields);
        fields.finish();
        Agent agent = get(id);
        return store.updateConfig(agent.uid(), ifVersion, config, world.now()).orElseThrow(() -> {
            get(id); // gone in between: 404
            return new Conflict("The config of agent '%s' has been changed since version %d was read"
                    .formatted(id, ifVersion.orElse(agent.version())));
        });
    }

    /// A config that somebody wants to be in force from now on: the model that it names must be there.
    /// Mistakes are left in `fields`, which stands at the document.
    public AgentConfig read(Map<String, Object> document, Fields fields) {
        var config = AgentConfig.read(document, fields);
        AgentConfig.modelIn(document)
                .filter(name -> !models.contains(name))
                .ifPresent(name -> fields.mistake("model", unknown(name)));
        return config;
    }

    private String unknown(String name) {
        if (models.isEmpty()) return "there is no model '%s': the operator has set up none".formatted(name);
        return "there is no model '%s'; there are %s".formatted(name, String.join(", ", models));
    }

    private static NotFound notFound(AgentId id) {
        return new NotFound("No such agent: " + id);
    }
}
