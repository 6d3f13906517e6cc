package hermit.command;

import hermit.exec.LiveState;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.sandbox.Machines;
import hermit.sandbox.Sandbox;
import hermit.sandbox.SandboxStore;
import hermit.world.World;
import java.time.Duration;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// After a restart: finds the commands again that were under way, learns what became of them, and never runs one a
/// second time. Called at start and then now
/// and then, because an engine may be away at the first look.
public final class Recovery {
    private static final Logger log = LoggerFactory.getLogger(Recovery.class);

    private final ExecStore store;
    private final SandboxStore sandboxes;
    private final Machines machines;
    private final Watch watch;
    private final UUID gateway;
    private final World world;

    public Recovery(
            ExecStore store, SandboxStore sandboxes, Machines machines, Watch watch, UUID gateway, World world) {
        this.store = store;
        this.sandboxes = sandboxes;
        this.machines = machines;
        this.watch = watch;
        this.gateway = gateway;
        this.world = world;
    }

    /// Takes up every open row that nobody watches, but for those that were only just written.
    public void run() throws InterruptedException {
        for (ExecRecord record : store.open(gateway)) {
            if (watch.find(record.id()).isPresent()) continue;
            try {
                recover(record);
            } catch (BackendUnavailable e) {
                log.info("command {} cannot be looked for yet: {}", record.id(), e.detail());
            } catch (GatewayException e) {
                watch.giveUp(record, unknown(record, e.detail()));
            }
        }
    }

    private void recover(ExecRecord record) throws InterruptedException {
        var row = sandboxes.find(record.sandboxId()).filter(Sandbox::isLive);
        if (row.isEmpty()) {
            watch.giveUp(record, unknown(record, "the sandbox has been deleted"));
            return;
        }
        LiveState state = machines.observe(row.get());
        switch (state.state()) {
            case RUNNING, PAUSED ->
                watch.resume(
                        record,
                        machines.use(row.get(), () -> watch.find(record.id()).ifPresent(LiveExec::cancel)));
            case UNKNOWN -> throw new BackendUnavailable(state.detail());
            case ABSENT, STARTING, STOPPING, STOPPED, ERROR ->
                watch.giveUp(record, unknown(record, "the sandbox was " + state.state()));
        }
    }

    private Outcome unknown(ExecRecord record, String why) {
        var now = world.now();
        var ran = Duration.between(record.startedAt().orElse(record.createdAt()), now);
        return Outcome.gatewayRestarted(
                "the gateway was restarted while the command was under way, and its outcome cannot be learned: " + why,
                ran,
                now);
    }
}
