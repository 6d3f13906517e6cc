package hermit.command;

import hermit.exec.ExecBackend;
import hermit.exec.ExecId;
import hermit.exec.OutputSink;
import hermit.exec.RunningCommand;
import hermit.problem.GatewayException;
import hermit.sandbox.Machines;
import hermit.sandbox.Sandbox;
import hermit.sandbox.SandboxId;
import hermit.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Ends commands that were given up as lost and run all the same. A machine that its provider froze under its commands
/// comes back with them, long after their rows have said that nobody knows how they ended: that stays true, and nothing
/// of them may go on behind it.
public final class LostCommands implements Machines.Arrival {
    private static final Logger log = LoggerFactory.getLogger(LostCommands.class);
    /// More than are ever lost at one time; the newest are looked for.
    private static final int MOST = 100;

    private static final int MOST_SANDBOXES = 10_000;
    /// For one that was told to end. Longer than it takes unless the way to the machine is broken again.
    private static final Duration PATIENCE = ExecBackend.KILL_GRACE.plus(ExecBackend.GRACE);

    private static final OutputSink NOWHERE = (_, _, _) -> {};

    private final ExecStore store;
    private final Machines machines;
    private final World world;
    /// When each was last looked at. What had ended before need not be looked for again, but may be.
    private final Map<SandboxId, Instant> looked = Collections.synchronizedMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<SandboxId, Instant> eldest) {
            return size() > MOST_SANDBOXES;
        }
    });

    public LostCommands(ExecStore store, Machines machines, World world) {
        this.store = store;
        this.machines = machines;
        this.world = world;
    }

    /// Returns when they have ended, or have had the time for it.
    @Override
    public List<String> arrived(Sandbox row) throws InterruptedException {
        Instant now = world.now();
        Instant since = looked.getOrDefault(row.id(), Instant.EPOCH);
        var ending = new ArrayList<Thread>();
        try {
            for (ExecId id : store.lost(row.id(), row.generation(), since, MOST))
                end(row, id).ifPresent(ending::add);
        } catch (GatewayException e) {
            // Whoever wants the machine for something else is not kept from it; the next arrival looks again.
            return List.of(
                    "whether commands that were given up as lost still run could not be found out: " + e.detail());
        }
        looked.put(row.id(), now);
        int left = 0;
        for (Thread each : ending) if (!each.join(PATIENCE)) left++;
        if (ending.isEmpty()) return List.of();
        return List.of("%d command(s) that had been given up as lost came back with the sandbox and were ended%s"
                .formatted(ending.size(), left == 0 ? "" : "; %d are not known to have ended yet".formatted(left)));
    }

    /// Who waits for its end; empty where the machine knows nothing of it.
    private Optional<Thread> end(Sandbox row, ExecId id) throws InterruptedException {
        var use = machines.use(row, () -> {});
        boolean handedOver = false;
        try {
            Optional<RunningCommand> found = use.call((backend, _) -> backend.attach(id, 0, 0, NOWHERE));
            if (found.isEmpty()) return Optional.empty();
            found.get().cancel();
            var waiting = Thread.ofVirtual().name("exec-lost-" + id).start(() -> await(use, id, found.get()));
            handedOver = true;
            return Optional.of(waiting);
        } finally {
            if (!handedOver) use.close();
        }
    }

    private static void await(Machines.Use use, ExecId id, RunningCommand command) {
        try (use) {
            log.info(
                    "command {}, given up as lost, has ended: {}",
                    id,
                    command.await().exit());
            use.call((backend, _) -> {
                backend.forget(id);
                return true;
            });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            // It has been told to end, and the next arrival looks again if this gateway is restarted.
            log.info("how command {}, given up as lost, ended is not known: {}", id, e.getMessage());
        }
    }
}
