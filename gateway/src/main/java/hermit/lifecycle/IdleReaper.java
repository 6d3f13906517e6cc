package hermit.lifecycle;

import hermit.agent.AgentStore;
import hermit.exec.BackendProvider;
import hermit.exec.LifecycleSettings;
import hermit.exec.LiveState;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException;
import hermit.sandbox.Backends;
import hermit.sandbox.EffectiveLifecycle;
import hermit.sandbox.Machines;
import hermit.sandbox.Sandbox;
import hermit.sandbox.SandboxFilter;
import hermit.sandbox.SandboxId;
import hermit.sandbox.SandboxStore;
import hermit.sandbox.Sandboxes;
import hermit.world.World;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks over all running machines now and then: shuts down the idle ones, finishes removals that failed, and has the
/// providers remove what no row owns.
/// One machine's error does not keep the others from their turn.
public final class IdleReaper {
    private static final Logger log = LoggerFactory.getLogger(IdleReaper.class);

    private final AgentStore agents;
    private final SandboxStore store;
    private final Sandboxes sandboxes;
    private final Machines machines;
    private final Backends backends;
    private final OpenSessions sessions;
    private final World world;

    public IdleReaper(
            AgentStore agents,
            SandboxStore store,
            Sandboxes sandboxes,
            Machines machines,
            Backends backends,
            OpenSessions sessions,
            World world) {
        this.agents = agents;
        this.store = store;
        this.sandboxes = sandboxes;
        this.machines = machines;
        this.backends = backends;
        this.sessions = sessions;
        this.world = world;
    }

    public void sweep() throws InterruptedException {
        attempt("removing what is left behind", sandboxes::removeLeftBehind);
        for (BackendProvider provider : backends.all()) {
            if (!provider.isConfigured()) continue;
            attempt("looking for idle machines of " + provider.type(), () -> stopIdle(provider));
            attempt(
                    "looking for orphans of " + provider.type(),
                    () -> provider.sweep(store.liveIds(), agents.liveUids()));
        }
    }

    private void stopIdle(BackendProvider provider) throws InterruptedException {
        var some = new SandboxFilter(Optional.of(provider.type()), Optional.of("provisioned"), Optional.empty());
        if (store.list(some, PageRequest.first(1)).items().isEmpty()) return; // a cloud counts its calls
        for (Map.Entry<UUID, LiveState> each : provider.observeAll().entrySet()) {
            if (each.getValue().state() != LiveState.State.RUNNING) continue;
            var row = store.find(new SandboxId(each.getKey())).filter(Sandbox::isLive);
            if (row.isPresent()) attempt("stopping idle sandbox " + row.get().id(), () -> consider(row.get()));
        }
    }

    private void consider(Sandbox row) throws InterruptedException {
        var lifecycle = EffectiveLifecycle.of(
                agents.find(row.agentId())
                        .map(agent -> agent.config().lifecycle())
                        .orElse(LifecycleSettings.SILENT),
                row.config().lifecycle());
        // Cheap look first; the same question is asked again under the row's lock, with what is true then.
        if (!shouldStop(lifecycle, row, row.lastUsedAt())) return;
        if (machines.stopIdle(row, lastUsed -> shouldStop(lifecycle, row, lastUsed)))
            log.info("sandbox {} ({}/{}) was idle and has been stopped", row.id(), row.agentId(), row.alias());
    }

    private boolean shouldStop(EffectiveLifecycle lifecycle, Sandbox row, Instant lastUsed) {
        return IdlePolicy.shouldStop(lifecycle, sessions.hasOpen(row.agentUid()), lastUsed, world.now());
    }

    private static void attempt(String what, Step step) throws InterruptedException {
        try {
            step.run();
        } catch (GatewayException e) {
            log.warn("{}: {}", what, e.detail());
        } catch (RuntimeException e) {
            log.error("{} failed", what, e);
        }
    }

    @FunctionalInterface
    private interface Step {
        void run() throws InterruptedException;
    }
}
