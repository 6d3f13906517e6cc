package hermit.backend.docker;

import hermit.backend.keeper.Scheduler;
import hermit.exec.BackendProvider;
import hermit.exec.BackendType;
import hermit.exec.Capability;
import hermit.exec.DockerConfig;
import hermit.exec.ExecBackend;
import hermit.exec.FoundMachine;
import hermit.exec.LiveState;
import hermit.exec.MachineSpec;
import hermit.problem.GatewayException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sandboxes on one Docker engine. Nothing is asked of the engine before it is needed, or [#greet] is called.
public final class DockerProvider implements BackendProvider {
    private static final Logger log = LoggerFactory.getLogger(DockerProvider.class);

    private final Docker docker;
    private final ObservedStates states;
    private final Sweep sweep;
    private final Scheduler scheduler;
    private final RandomGenerator random;

    /// `random`: where the ids of the gateway's own commands come from. The scheduler is not closed here.
    public DockerProvider(DockerSettings settings, Scheduler scheduler, RandomGenerator random) {
        this.docker = Docker.of(settings, scheduler);
        this.states = new ObservedStates(docker.containers(), settings.instanceId(), scheduler);
        this.sweep = new Sweep(docker, scheduler);
        this.scheduler = scheduler;
        this.random = random;
    }

    /// Makes the engine's acquaintance in the background, so that the first who needs it does not wait for that.
    public void greet() {
        Thread.ofVirtual().name("docker-greeting").start(() -> {
            try {
                docker.engine().version();
            } catch (GatewayException e) {
                log.debug("the Docker engine does not answer yet: {}", e.detail());
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts this thread", e);
            }
        });
    }

    @Override
    public BackendType type() {
        return BackendType.DOCKER;
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.allOf(Capability.class);
    }

    @Override
    public ExecBackend open(MachineSpec spec) {
        if (!(spec.config() instanceof DockerConfig config))
            throw new IllegalArgumentException("not a docker sandbox: " + spec.sandboxId());
        return new DockerBackend(docker, spec, config, scheduler, random);
    }

    @Override
    public Map<UUID, LiveState> observeAll() throws InterruptedException {
        return states.all();
    }

    @Override
    public Health health() throws InterruptedException {
        try {
            var version = docker.engine().check();
            return new Health(true, "Docker %s, API %s".formatted(version.name(), version.api()));
        } catch (GatewayException e) {
            return new Health(false, e.detail());
        }
    }

    @Override
    public List<FoundMachine> machines() throws InterruptedException {
        var now = scheduler.instant();
        return docker
                .containers()
                .labelled(Map.of(Labels.INSTANCE, docker.settings().instanceId().toString()))
                .stream()
                .map(found -> {
                    var state = ObservedStates.of(found, now);
                    return new FoundMachine(
                            found.name(),
                            Labels.sandbox(found.labels()),
                            state.state(),
                            state.detail(),
                            Optional.empty());
                })
                .toList();
    }

    @Override
    public void destroy(FoundMachine machine) throws InterruptedException {
        var found = docker.containers().find(machine.id());
        if (found.isEmpty() || !Labels.sandbox(found.get().labels()).equals(machine.sandbox())) return;
        docker.containers().stop(found.get().id(), found.get().name());
        docker.containers().remove(found.get().id(), found.get().name());
    }

    @Override
    public void sweep(Set<UUID> liveSandboxes, Set<UUID> liveAgents) throws InterruptedException {
        sweep.run(liveSandboxes, liveAgents);
    }

    @Override
    public void agentDeleted(UUID agentUid) throws InterruptedException {
        docker.workspaces().remove(agentUid);
    }

    @Override
    public void close() {
        docker.close();
    }
}
