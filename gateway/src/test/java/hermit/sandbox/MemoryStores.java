package hermit.sandbox;

import hermit.access.SecurityPolicy;
import hermit.access.SecurityStore;
import hermit.agent.Agent;
import hermit.agent.AgentConfig;
import hermit.agent.AgentId;
import hermit.agent.AgentStore;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.Machine;
import hermit.identity.UserId;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.NotFound;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/// Agents, policies, sandboxes and leases in memory, by the same rules as the database's.
public final class MemoryStores implements AgentStore, SecurityStore, SandboxStore, LeaseStore {
    private final Map<String, Agent> agents = new TreeMap<>();
    private final Map<UUID, SecurityPolicy> policies = new LinkedHashMap<>();
    private final Map<SandboxId, Sandbox> rows = new TreeMap<>(Comparator.comparing(SandboxId::toString));
    private final Map<SandboxId, Lease> leases = new LinkedHashMap<>();

    private record Lease(UUID gateway, Instant until) {}

    @Override
    public synchronized Optional<Agent> find(AgentId id) {
        return Optional.ofNullable(agents.get(id.value()));
    }

    @Override
    public synchronized Page<Agent> list(PageRequest page) {
        var found = agents.values().stream()
                .filter(agent -> page.after()
                        .map(key -> agent.id().value().compareTo(key) > 0)
                        .orElse(true))
                .limit(page.limit() + 1L)
                .toList();
        return Page.of(found, page.limit(), agent -> agent.id().value());
    }

    @Override
    public synchronized Page<Agent> list(Set<UUID> uids, PageRequest page) {
        var found = agents.values().stream()
                .filter(agent -> uids.contains(agent.uid()))
                .filter(agent -> page.after()
                        .map(key -> agent.id().value().compareTo(key) > 0)
                        .orElse(true))
                .limit(page.limit() + 1L)
                .toList();
        return Page.of(found, page.limit(), agent -> agent.id().value());
    }

    @Override
    public synchronized Optional<Agent> updateConfig(
            UUID uid, OptionalLong ifVersion, AgentConfig config, Instant now) {
        for (Agent agent : agents.values()) {
            if (!agent.uid().equals(uid)) continue;
            if (ifVersion.isPresent() && ifVersion.getAsLong() != agent.version()) return Optional.empty();
            var changed = new Agent(uid, agent.id(), agent.name(), config, agent.version() + 1, agent.createdAt(), now);
            agents.put(agent.id().value(), changed);
            return Optional.of(changed);
        }
        return Optional.empty();
    }

    @Override
    public synchronized Set<UUID> liveUids() {
        return agents.values().stream().map(Agent::uid).collect(Collectors.toSet());
    }

    @Override
    public synchronized Optional<SecurityPolicy> find(UUID agentUid) {
        return Optional.ofNullable(policies.get(agentUid));
    }

    @Override
    public synchronized boolean update(UUID agentUid, SecurityPolicy policy, Instant now) {
        return policies.replace(agentUid, policy) != null;
    }

    @Override
    public synchronized void createAgent(
            Agent agent, SecurityPolicy security, Optional<Sandbox> first, Optional<UserId> owner) {
        if (agents.containsKey(agent.id().value()))
            throw new Conflict("There is an agent '%s' already".formatted(agent.id()));
        agents.put(agent.id().value(), agent);
        policies.put(agent.uid(), security);
        first.ifPresent(row -> rows.put(row.id(), row));
    }

    @Override
    public synchronized Optional<List<Sandbox>> deleteAgent(UUID agentUid, Instant now) {
        if (!agents.values().removeIf(agent -> agent.uid().equals(agentUid))) return Optional.empty();
        policies.remove(agentUid);
        var live = new ArrayList<>(ofAgent(agentUid));
        live.forEach(row -> delete(row.id(), now));
        return Optional.of(live);
    }

    @Override
    public synchronized void add(Sandbox sandbox, int most) {
        if (agents.values().stream().noneMatch(agent -> agent.uid().equals(sandbox.agentUid())))
            throw new NotFound("No such agent");
        if (find(sandbox.agentUid(), sandbox.alias()).isPresent())
            throw new Conflict("There is a sandbox '%s' already".formatted(sandbox.alias()));
        if (ofAgent(sandbox.agentUid()).size() >= most) throw SandboxStore.tooMany(most);
        rows.put(sandbox.id(), sandbox);
    }

    @Override
    public synchronized Optional<Sandbox> find(UUID agentUid, Alias alias) {
        return ofAgent(agentUid).stream()
                .filter(row -> row.alias().equals(alias))
                .findFirst();
    }

    @Override
    public synchronized Optional<Sandbox> find(SandboxId id) {
        return Optional.ofNullable(rows.get(id));
    }

    @Override
    public synchronized List<Sandbox> ofAgent(UUID agentUid) {
        return rows.values().stream()
                .filter(row -> row.isLive() && row.agentUid().equals(agentUid))
                .sorted(Comparator.comparing(Sandbox::createdAt)
                        .thenComparing(row -> row.id().toString()))
                .toList();
    }

    @Override
    public synchronized Page<Sandbox> list(SandboxFilter filter, PageRequest page) {
        var found = rows.values().stream()
                .filter(row -> filter.status().map(row.status().word()::equals).orElse(row.isLive()))
                .filter(row -> filter.type().map(row.type()::equals).orElse(true))
                .filter(row -> filter.agent().map(row.agentId()::equals).orElse(true))
                .filter(row -> page.after()
                        .map(key -> row.id().toString().compareTo(key) > 0)
                        .orElse(true))
                .limit(page.limit() + 1L)
                .toList();
        return Page.of(found, page.limit(), row -> row.id().toString());
    }

    @Override
    public synchronized Set<UUID> liveIds() {
        return rows.values().stream()
                .filter(Sandbox::isLive)
                .map(row -> row.id().value())
                .collect(Collectors.toSet());
    }

    @Override
    public synchronized Optional<Sandbox> updateConfig(SandboxId id, long version, BackendConfig config) {
        return live(id).filter(row -> row.version() == version)
                .map(row ->
                        put(with(row, config, row.status(), row.generation(), row.lastUsedAt(), row.version() + 1)));
    }

    @Override
    public synchronized Optional<Sandbox> seen(SandboxId id, Machine machine, Instant now) {
        return live(id).map(row -> put(with(
                row,
                row.config(),
                new SandboxStatus.Provisioned(machine.externalId(), now),
                Math.max(row.generation(), machine.generation()),
                now,
                row.version())));
    }

    @Override
    public synchronized void used(SandboxId id, boolean seen, Instant now) {
        live(id).ifPresent(row -> {
            var status = seen && row.status() instanceof SandboxStatus.Provisioned(String externalId, Instant _)
                    ? new SandboxStatus.Provisioned(externalId, now)
                    : row.status();
            put(with(row, row.config(), status, row.generation(), now, row.version()));
        });
    }

    @Override
    public synchronized Optional<Sandbox> delete(SandboxId id, Instant now) {
        return live(id).map(row -> {
            put(with(
                    row,
                    row.config(),
                    new SandboxStatus.Deleted(now, row.externalId()),
                    row.generation(),
                    row.lastUsedAt(),
                    row.version()));
            return row;
        });
    }

    @Override
    public synchronized void updateRuntimeState(SandboxId id, UnaryOperator<Map<String, Object>> change) {
        Sandbox row = rows.get(id);
        if (row == null || !row.isLive()) return;
        put(new Sandbox(
                row.id(),
                row.agentUid(),
                row.agentId(),
                row.alias(),
                row.config(),
                row.status(),
                row.generation(),
                change.apply(row.runtimeState()),
                row.createdAt(),
                row.lastUsedAt(),
                row.version()));
    }

    @Override
    public synchronized List<Sandbox> leftBehind(BackendType type) {
        return rows.values().stream()
                .filter(row ->
                        !row.isLive() && row.type() == type && row.externalId().isPresent())
                .toList();
    }

    @Override
    public synchronized void removed(SandboxId id) {
        Sandbox row = rows.get(id);
        if (row != null && row.status() instanceof SandboxStatus.Deleted(Instant at, Optional<String> _))
            put(with(
                    row,
                    row.config(),
                    new SandboxStatus.Deleted(at, Optional.empty()),
                    row.generation(),
                    row.lastUsedAt(),
                    row.version()));
    }

    @Override
    public synchronized boolean acquire(SandboxId id, UUID gateway, Instant now, Instant until) {
        Lease lease = leases.get(id);
        if (lease != null && !lease.gateway().equals(gateway) && lease.until().isAfter(now)) return false;
        leases.put(id, new Lease(gateway, until));
        return true;
    }

    @Override
    public synchronized void release(SandboxId id, UUID gateway) {
        Lease lease = leases.get(id);
        if (lease != null && lease.gateway().equals(gateway)) leases.remove(id);
    }

    private Optional<Sandbox> live(SandboxId id) {
        return find(id).filter(Sandbox::isLive);
    }

    private Sandbox put(Sandbox row) {
        rows.put(row.id(), row);
        return row;
    }

    private static Sandbox with(
            Sandbox row,
            BackendConfig config,
            SandboxStatus status,
            long generation,
            Instant lastUsedAt,
            long version) {
        return new Sandbox(
                row.id(),
                row.agentUid(),
                row.agentId(),
                row.alias(),
                config,
                status,
                generation,
                row.runtimeState(),
                row.createdAt(),
                lastUsedAt,
                version);
    }
}
