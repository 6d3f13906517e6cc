package hermit.sandbox;

import hermit.agent.Agent;
import hermit.agent.AgentId;
import hermit.agent.Agents;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.Capability;
import hermit.exec.LifecycleSettings;
import hermit.exec.LiveState;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.NotFound;
import hermit.problem.GatewayException.ProviderError;
import hermit.problem.GatewayException.Unsupported;
import hermit.problem.ProblemCode;
import hermit.world.World;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What one can do with sandboxes: list, add, change, start, stop and delete them.
public final class Sandboxes {
    private static final Logger log = LoggerFactory.getLogger(Sandboxes.class);

    private final Agents agents;
    private final SandboxStore store;
    private final Backends backends;
    private final Machines machines;
    private final int mostPerAgent;
    private final World world;

    public Sandboxes(Agents agents, SandboxStore store, Backends backends, Machines machines, World world) {
        this(agents, store, backends, machines, Integer.MAX_VALUE, world);
    }

    /// `mostPerAgent`: how many live rows an agent may have.
    public Sandboxes(
            Agents agents, SandboxStore store, Backends backends, Machines machines, int mostPerAgent, World world) {
        this.agents = agents;
        this.store = store;
        this.backends = backends;
        this.machines = machines;
        this.mostPerAgent = mostPerAgent;
        this.world = world;
    }

    /// A live row; throws [NotFound] for the agent as for the alias.
    public Sandbox get(AgentId agentId, Alias alias) {
        return store.find(agents.get(agentId).uid(), alias)
                .orElseThrow(() -> new NotFound("Agent '%s' has no sandbox '%s'".formatted(agentId, alias)));
    }

    /// The row that a command of the agent runs in. Throws [Conflict] `no_sandbox` if the agent has
    /// none at all: it has no exec environment then, and never gets another one by itself.
    public Sandbox forUse(AgentId agentId, Alias alias) {
        Agent agent = agents.get(agentId);
        Optional<Sandbox> found = store.find(agent.uid(), alias);
        if (found.isPresent()) return found.get();
        if (store.ofAgent(agent.uid()).isEmpty())
            throw new Conflict(
                    ProblemCode.NO_SANDBOX,
                    "Agent '%s' has no sandbox, so there is nowhere to run a command; add one first"
                            .formatted(agentId));
        throw new NotFound("Agent '%s' has no sandbox '%s'".formatted(agentId, alias));
    }

    /// Like [#forUse], for what not every backend can do. Throws [Unsupported], and what [Backends#of] throws for one
    /// that cannot be used at all.
    public Sandbox forUse(AgentId agentId, Alias alias, Capability needed) {
        Sandbox row = forUse(agentId, alias);
        if (!backends.of(row.type()).capabilities().contains(needed))
            throw new Unsupported("The backend %s cannot do that: it has no '%s'".formatted(row.type(), needed));
        return row;
    }

    /// One row with its live state asked from the provider now.
    public SandboxView view(AgentId agentId, Alias alias) throws InterruptedException {
        Agent agent = agents.get(agentId);
        Sandbox sandbox = get(agentId, alias);
        return view(sandbox, agent.config().lifecycle(), live(sandbox));
    }

    /// The agent's live rows.
    public List<SandboxView> ofAgent(AgentId agentId) throws InterruptedException {
        Agent agent = agents.get(agentId);
        List<Sandbox> rows = store.ofAgent(agent.uid());
        var states = states(rows);
        return rows.stream()
                .map(row -> view(row, agent.config().lifecycle(), states.of(row)))
                .toList();
    }

    /// The same without their live states, for which no provider is asked.
    public List<SandboxView> storedOf(AgentId agentId) {
        Agent agent = agents.get(agentId);
        return store.ofAgent(agent.uid()).stream()
                .map(row -> view(row, agent.config().lifecycle(), Optional.empty()))
                .toList();
    }

    /// Rows of all agents. Live states come from one question to each provider that answers such; the
    /// others are shown on the row itself.
    public Page<SandboxView> list(SandboxFilter filter, PageRequest page) throws InterruptedException {
        Page<Sandbox> rows = store.list(filter, page);
        var states = states(rows.items());
        var settings = new HashMap<AgentId, LifecycleSettings>();
        return rows.map(row -> view(row, settings.computeIfAbsent(row.agentId(), this::lifecycle), states.of(row)));
    }

    /// A new row, `pending`: no machine yet. Throws [Conflict] if the alias is taken, or the agent has as many as it
    /// may.
    public SandboxView add(AgentId agentId, Alias alias, BackendConfig config) {
        Agent agent = agents.get(agentId);
        Sandbox sandbox = newRow(agent, alias, config, world);
        store.add(sandbox, mostPerAgent);
        return view(sandbox, agent.config().lifecycle(), Optional.empty());
    }

    /// Replaces a row's config; the next ensure makes the machine fit. Throws [Conflict] `busy` while
    /// somebody uses it: a changed config may mean another machine.
    public SandboxView updateConfig(AgentId agentId, Alias alias, Map<String, Object> document)
            throws InterruptedException {
        Sandbox row = get(agentId, alias);
        var config = BackendConfig.of(row.type(), document, "config");
        if (machines.isBusy(row.id()))
            throw new Conflict(ProblemCode.BUSY, "The sandbox '%s' is in use".formatted(alias), Duration.ofSeconds(5));
        if (store.updateConfig(row.id(), row.version(), config).isEmpty())
            throw new Conflict("The sandbox '%s' has been changed at the same time".formatted(alias));
        return view(agentId, alias);
    }

    /// Brings the machine up now. What had to be done is in the notes.
    public Started start(AgentId agentId, Alias alias) throws InterruptedException {
        Sandbox row = get(agentId, alias);
        List<String> notes;
        try (var use = machines.use(row, () -> {})) {
            notes = use.ensure().notes();
        }
        return new Started(view(agentId, alias), notes);
    }

    public record Started(SandboxView view, List<String> notes) {}

    /// Shuts the machine down now. Throws [Conflict] `busy` unless `force`.
    public SandboxView stop(AgentId agentId, Alias alias, boolean force) throws InterruptedException {
        machines.stop(get(agentId, alias), force);
        return view(agentId, alias);
    }

    /// Deletes the row first, which is final, then removes a docker row's container. While the engine is down that is
    /// retried by [#removeLeftBehind].
    public void delete(AgentId agentId, Alias alias) throws InterruptedException {
        letGo(deleteRow(agentId, alias));
    }

    /// Deletes the row, and destroys its machine whatever its type. If that fails the row is deleted all the same, the
    /// failure is thrown, and the machine is listed among the [Leftovers].
    public void destroy(AgentId agentId, Alias alias) throws InterruptedException {
        Sandbox before = deleteRow(agentId, alias);
        try {
            machines.destroy(before);
        } catch (GatewayException e) {
            throw new ProviderError(
                    "The sandbox '%s' is deleted, but its machine is left over: %s".formatted(alias, e.detail()), e);
        }
    }

    private Sandbox deleteRow(AgentId agentId, Alias alias) {
        Sandbox row = get(agentId, alias);
        return store.delete(row.id(), world.now())
                .orElseThrow(() -> new NotFound("Agent '%s' has no sandbox '%s'".formatted(agentId, alias)));
    }

    /// What follows the deletion of a row: a docker machine goes at once, a cloud machine is left to its owner.
    void letGo(Sandbox deleted) throws InterruptedException {
        if (deleted.type() != BackendType.DOCKER) return;
        try {
            machines.destroy(deleted);
        } catch (GatewayException e) {
            log.warn("sandbox {} is deleted, but its container could not be removed yet: {}", deleted.id(), e.detail());
        }
    }

    /// Finishes removals that failed. Called now and then.
    public void removeLeftBehind() throws InterruptedException {
        for (Sandbox row : store.leftBehind(BackendType.DOCKER)) letGo(row);
    }

    static Sandbox newRow(Agent agent, Alias alias, BackendConfig config, World world) {
        var now = world.now();
        return new Sandbox(
                new SandboxId(world.newRandomId()), // its first digits become part of a container's name
                agent.uid(),
                agent.id(),
                alias,
                config,
                new SandboxStatus.Pending(),
                0,
                Map.of(),
                now,
                now,
                1);
    }

    private SandboxView view(Sandbox row, LifecycleSettings agent, Optional<LiveState> runtime) {
        return new SandboxView(
                row,
                EffectiveLifecycle.of(agent, row.config().lifecycle()),
                backends.capabilities(row.type()),
                runtime);
    }

    private LifecycleSettings lifecycle(AgentId id) {
        try {
            return agents.get(id).config().lifecycle();
        } catch (NotFound e) {
            return LifecycleSettings.SILENT; // a deleted row of a deleted agent, listed on request
        }
    }

    private Optional<LiveState> live(Sandbox row) throws InterruptedException {
        return backends.has(row.type()) ? Optional.of(machines.observe(row)) : Optional.empty();
    }

    private States states(List<Sandbox> rows) throws InterruptedException {
        if (rows.stream().noneMatch(row -> row.type() == BackendType.DOCKER) || !backends.has(BackendType.DOCKER))
            return row -> Optional.empty();
        Map<UUID, LiveState> seen;
        try {
            seen = backends.of(BackendType.DOCKER).observeAll();
        } catch (BackendUnavailable e) {
            var unknown = new LiveState(LiveState.State.UNKNOWN, e.detail(), world.now());
            return row -> row.type() == BackendType.DOCKER ? Optional.of(unknown) : Optional.empty();
        }
        return row -> {
            if (row.type() != BackendType.DOCKER) return Optional.empty();
            Optional<LiveState> transition = machines.transition(row.id());
            return transition.isPresent()
                    ? transition
                    : Optional.ofNullable(seen.get(row.id().value()));
        };
    }

    @FunctionalInterface
    private interface States {
        Optional<LiveState> of(Sandbox row);
    }
}
