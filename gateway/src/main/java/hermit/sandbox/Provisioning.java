package hermit.sandbox;

import hermit.access.SecurityPolicy;
import hermit.agent.Agent;
import hermit.agent.AgentConfig;
import hermit.agent.AgentId;
import hermit.agent.Agents;
import hermit.exec.BackendProvider;
import hermit.identity.UserId;
import hermit.problem.Fields;
import hermit.problem.GatewayException;
import hermit.world.World;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes agents with their first sandbox, and deletes them with all of theirs. All checks come first, then one
/// transaction: a refused create leaves nothing behind.
public final class Provisioning {
    private static final Logger log = LoggerFactory.getLogger(Provisioning.class);
    private static final int MAX_NAME = 200;

    private final Agents agents;
    private final SandboxStore store;
    private final Sandboxes sandboxes;
    private final Backends backends;
    private final Presets presets;
    private final World world;

    public Provisioning(
            Agents agents, SandboxStore store, Sandboxes sandboxes, Backends backends, Presets presets, World world) {
        this.agents = agents;
        this.store = store;
        this.sandboxes = sandboxes;
        this.backends = backends;
        this.presets = presets;
        this.world = world;
    }

    /// From the document `{id, name?, sandbox?, config?, security?}`. `sandbox`: silent takes the operator's default
    /// preset, a text names a preset, null means none.
    /// Throws [GatewayException.Invalid] with all mistakes, or [GatewayException.Conflict] if the id is taken.
    ///
    /// `creator` becomes the agent's owner.
    public Agent create(Map<String, Object> document, Optional<UserId> creator) {
        var fields = Fields.of(document);
        var idText = fields.required("id", fields.text("id", AgentId.PATTERN, AgentId.SHAPE), "");
        var name = fields.text("name");
        name.filter(text -> text.isBlank() || text.length() > MAX_NAME)
                .ifPresent(_ -> fields.mistake("name", "must have 1 to %d characters".formatted(MAX_NAME)));
        var config = config(fields);
        var security = fields.nested("security").map(SecurityPolicy::readNew).orElse(SecurityPolicy.DEFAULT);
        var preset = preset(fields);
        fields.finish();

        var now = world.now();
        var id = new AgentId(idText);
        var agent = new Agent(world.newId(), id, name.orElse(idText), config, 1, now, now);
        store.createAgent(
                agent,
                security,
                preset.map(each -> Sandboxes.newRow(agent, Alias.DEFAULT, each.config(), world)),
                creator);
        return agent;
    }

    /// Deletes the agent and its sandboxes: the rows first, then containers and the workspace. What the engine cannot
    /// do now is retried later.
    public void delete(AgentId id) throws InterruptedException {
        Agent agent = agents.get(id);
        List<Sandbox> rows = store.deleteAgent(agent.uid(), world.now())
                .orElseThrow(() -> new GatewayException.NotFound("No such agent: " + id));
        for (Sandbox row : rows) sandboxes.letGo(row);
        for (BackendProvider provider : backends.all()) {
            try {
                provider.agentDeleted(agent.uid());
            } catch (GatewayException e) {
                log.warn(
                        "agent {} is deleted, but {} could not clean up yet: {}",
                        agent.uid(),
                        provider.type(),
                        e.detail());
            }
        }
    }

    private AgentConfig config(Fields fields) {
        return fields.object("config")
                .map(given -> agents.read(given, fields.nested("config").orElseThrow()))
                .orElse(AgentConfig.EMPTY);
    }

    private Optional<Preset> preset(Fields fields) {
        if (!fields.has("sandbox")) return presets.auto();
        if (fields.isNull("sandbox")) return Optional.empty();
        return fields.text("sandbox").flatMap(name -> {
            try {
                return Optional.of(presets.get(name, "sandbox"));
            } catch (GatewayException.Invalid e) {
                fields.mistakes(e.errors());
                return Optional.empty();
            }
        });
    }
}
