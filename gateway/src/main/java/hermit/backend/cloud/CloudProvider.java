package hermit.backend.cloud;

import hermit.backend.keeper.KeeperPrograms;
import hermit.backend.keeper.Scheduler;
import hermit.exec.BackendProvider;
import hermit.exec.BackendType;
import hermit.exec.Capability;
import hermit.exec.ExecBackend;
import hermit.exec.FoundMachine;
import hermit.exec.LiveState;
import hermit.exec.MachineSpec;
import hermit.problem.GatewayException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/// Sandboxes at one cloud provider. Nothing is loaded, and nobody asked, before the first of them is used.
public final class CloudProvider implements BackendProvider {
    /// `/ready` may be asked every second, and the provider counts its calls.
    private static final Duration HEALTH_HOLDS = Duration.ofSeconds(30);

    private final BackendType type;
    private final boolean configured;
    private final Supplier<CloudClient> opener;
    private final UUID instance;
    private final KeeperPrograms programs;
    private final Scheduler scheduler;
    private final RandomGenerator random;

    private Optional<CloudClient> client = Optional.empty();
    private Optional<Seen> seen = Optional.empty();

    private record Seen(Instant at, Health health) {}

    /// - `configured`: whether there is a key. Without one rows can be stored, and using them says what is missing.
    /// - `opener`: makes the client; called once, at the first use.
    public CloudProvider(
            BackendType type,
            boolean configured,
            Supplier<CloudClient> opener,
            UUID instance,
            KeeperPrograms programs,
            Scheduler scheduler,
            RandomGenerator random) {
        this.type = type;
        this.configured = configured;
        this.opener = opener;
        this.instance = instance;
        this.programs = programs;
        this.scheduler = scheduler;
        this.random = random;
    }

    @Override
    public BackendType type() {
        return type;
    }

    @Override
    public boolean isConfigured() {
        return configured;
    }

    /// Everything but a proof of death by memory: the counter of a virtual machine's kernel is not the sandbox's alone.
    @Override
    public Set<Capability> capabilities() {
        return EnumSet.complementOf(EnumSet.of(Capability.MEMORY_PROOF));
    }

    @Override
    public ExecBackend open(MachineSpec spec) {
        if (spec.config().type() != type)
            throw new IllegalArgumentException("not a sandbox of %s: %s".formatted(type, spec.sandboxId()));
        return new CloudBackend(client(), spec, instance, programs, scheduler, random);
    }

    @Override
    public Map<UUID, LiveState> observeAll() {
        return Map.of();
    }

    @Override
    public Health health() throws InterruptedException {
        var now = scheduler.instant();
        synchronized (this) {
            if (seen.isPresent() && seen.get().at.plus(HEALTH_HOLDS).isAfter(now)) return seen.get().health;
        }
        var health = ask();
        synchronized (this) {
            seen = Optional.of(new Seen(now, health));
        }
        return health;
    }

    private Health ask() throws InterruptedException {
        try {
            client().check();
            return new Health(true, "reached, and the key is accepted");
        } catch (GatewayException e) {
            return new Health(false, e.detail());
        }
    }

    @Override
    public List<FoundMachine> machines() throws InterruptedException {
        return client().list(Optional.empty()).stream()
                .map(machine -> new FoundMachine(
                        machine.id(),
                        Marks.sandboxOf(machine.marks()),
                        machine.state(),
                        machine.detail(),
                        machine.createdAt()))
                .toList();
    }

    @Override
    public void destroy(FoundMachine machine) throws InterruptedException {
        client().destroy(machine.id());
    }

    /// Machines are left where they are: what is left over is listed, and goes when somebody says so.
    @Override
    public void sweep(Set<UUID> liveSandboxes, Set<UUID> liveAgents) {}

    @Override
    public void agentDeleted(UUID agentUid) {}

    @Override
    public synchronized void close() {
        client.ifPresent(CloudClient::close);
        client = Optional.empty();
    }

    private synchronized CloudClient client() {
        var opened = client.orElseGet(opener);
        client = Optional.of(opened);
        return opened;
    }
}
