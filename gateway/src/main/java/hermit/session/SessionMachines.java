package hermit.session;

import hermit.agent.AgentId;
import hermit.agent.AgentStore;
import hermit.exec.LifecycleSettings;
import hermit.exec.LifecycleSettings.Start;
import hermit.exec.LifecycleSettings.Stop;
import hermit.problem.GatewayException;
import hermit.sandbox.EffectiveLifecycle;
import hermit.sandbox.Machines;
import hermit.sandbox.Sandbox;
import hermit.sandbox.SandboxStore;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings machines up when a session opens, and shuts them down when the last one has ended, where their
/// lifecycle says so. Nobody waits for it, and what fails is only logged: a call that needs the machine
/// brings it up, or says why it cannot; a machine that was in use when the last session ended is stopped
/// as idle later.
public final class SessionMachines implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SessionMachines.class);

    private final AgentStore agents;
    private final SandboxStore sandboxes;
    private final SessionStore sessions;
    private final Machines machines;
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    public SessionMachines(AgentStore agents, SandboxStore sandboxes, SessionStore sessions, Machines machines) {
        this.agents = agents;
        this.sandboxes = sandboxes;
        this.sessions = sessions;
        this.machines = machines;
    }

    void opened(UUID agentUid, AgentId agentId) {
        for (Sandbox row : sandboxes.ofAgent(agentUid))
            if (lifecycle(row).start().value() == Start.SESSION)
                inBackground("bringing sandbox %s of %s up".formatted(row.alias(), agentId), () -> {
                    try (var use = machines.use(row, () -> {})) {
                        use.ensure();
                    }
                });
    }

    void ended(UUID agentUid) {
        if (sessions.hasOpen(agentUid)) return;
        for (Sandbox row : sandboxes.ofAgent(agentUid))
            if (lifecycle(row).stop().value() == Stop.SESSION)
                inBackground(
                        "stopping sandbox %s of %s".formatted(row.alias(), row.agentId()),
                        // Asked again under the row's lock: a session may open meanwhile.
                        () -> machines.stopIdle(row, _ -> !sessions.hasOpen(agentUid)));
    }

    /// Waits until all that was begun has been done, or has failed.
    public void settle() throws InterruptedException {
        for (Thread each : List.copyOf(threads)) each.join();
    }

    private EffectiveLifecycle lifecycle(Sandbox row) {
        var settings = agents.find(row.agentId())
                .map(agent -> agent.config().lifecycle())
                .orElse(LifecycleSettings.SILENT);
        return EffectiveLifecycle.of(settings, row.config().lifecycle());
    }

    private void inBackground(String what, Step step) {
        Thread thread = Thread.ofVirtual().name("session-machine").unstarted(() -> {
            try {
                step.run();
            } catch (GatewayException e) {
                log.warn("{}: {}", what, e.detail());
            } catch (InterruptedException e) {
                log.debug("{} was given up: the gateway stops", what);
            } catch (RuntimeException e) {
                log.error("{} failed", what, e);
            } finally {
                threads.remove(Thread.currentThread());
            }
        });
        threads.add(thread);
        thread.start();
    }

    @FunctionalInterface
    private interface Step {
        void run() throws InterruptedException;
    }

    @Override
    public void close() {
        threads.forEach(Thread::interrupt);
    }
}
