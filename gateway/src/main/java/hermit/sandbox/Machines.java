package hermit.sandbox;

import hermit.exec.ExecBackend;
import hermit.exec.LiveState;
import hermit.exec.Machine;
import hermit.exec.MachineGone;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.NotFound;
import hermit.problem.ProblemCode;
import hermit.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The machines behind the rows. Ensure, shutdown and destroy of one row never overlap: not in this gateway (a lock)
/// and not across
/// gateways (a lease). A command in a machine that is known to be up takes neither.
public final class Machines implements AutoCloseable {
    /// How often a sign of use is written to the database.
    static final Duration WRITE_EVERY = Duration.ofSeconds(5);

    private static final Logger log = LoggerFactory.getLogger(Machines.class);
    /// A machine may vanish again right after it was brought up; more often than this is not bad luck.
    private static final int ATTEMPTS = 3;

    private final SandboxStore store;
    private final Backends backends;
    private final RowLease leases;
    private final World world;
    private final ConcurrentHashMap<SandboxId, Slot> slots = new ConcurrentHashMap<>();

    private volatile Arrival arrival = _ -> List.of();
    /// Bound while an arrival is told, which may use the machine.
    private final ScopedValue<Boolean> arriving = ScopedValue.newInstance();

    public Machines(SandboxStore store, Backends backends, LeaseStore leases, UUID gateway, World world) {
        this.store = store;
        this.backends = backends;
        this.leases = new RowLease(leases, gateway, world);
        this.world = world;
    }

    /// Somebody who uses a machine: while it is open, the machine is busy, and is neither idle nor stopped (but by
    /// force).
    public final class Use implements AutoCloseable {
        private final SandboxId id;
        private final long version;
        private final Slot slot;
        private final Runnable cancel;

        private Use(Sandbox sandbox, Runnable cancel) {
            this.id = sandbox.id();
            this.version = sandbox.version();
            this.slot = slot(sandbox);
            this.cancel = cancel;
            slot.begin(this, world.now());
        }

        /// Brings the machine up, or does nothing where it is known to be up.
        public Machine ensure() throws InterruptedException {
            return ready().machine().orElseThrow();
        }

        /// Runs `action` in the machine, brought up first where needed. If the machine turns out to be gone, and the
        /// action therefore was certainly not begun, it is brought
        /// up again and the action runs there.
        public <T> T call(Action<T> action) throws InterruptedException {
            for (int attempt = 1; ; attempt++) {
                Slot.Open open = ready();
                try {
                    return action.in(open.backend(), open.machine().orElseThrow());
                } catch (MachineGone e) {
                    log.info("sandbox {}: {}", id, e.getMessage());
                    if (attempt == ATTEMPTS)
                        throw new BackendUnavailable(
                                "The sandbox went away %d times in a row: %s".formatted(ATTEMPTS, e.getMessage()), e);
                    forget(open);
                }
            }
        }

        private Slot.Open ready() throws InterruptedException {
            Optional<Slot.Open> ready = slot.ready(version);
            if (ready.isPresent()) {
                if (slot.shouldWrite(world.now())) store.used(id, true, world.now());
                return ready.get();
            }
            BroughtUp up = bringUp(id, version, slot);
            // A machine that goes away while its arrival is told is not another arrival: that could go on for ever.
            if (!up.byUs() || arriving.isBound()) return up.open();
            List<String> notes = ScopedValue.where(arriving, true).call(() -> arrival.arrived(live(id)));
            return withNotes(up.open(), notes);
        }

        private Slot.Open withNotes(Slot.Open open, List<String> more) {
            Machine machine = open.machine().orElseThrow();
            var notes = new ArrayList<>(machine.notes());
            notes.addAll(more);
            return new Slot.Open(
                    open.backend(),
                    open.version(),
                    Optional.of(new Machine(machine.externalId(), machine.generation(), notes)));
        }

        private void forget(Slot.Open gone) {
            synchronized (slot) {
                if (slot.open().filter(gone::equals).isPresent())
                    slot.open(new Slot.Open(gone.backend(), gone.version(), Optional.empty()));
            }
        }

        /// Asks the user to end what it does there. Does not wait.
        void cancel() {
            cancel.run();
        }

        @Override
        public void close() {
            Instant now = world.now();
            slot.end(this, now);
            if (slot.shouldWrite(now)) store.used(id, false, now);
        }
    }

    /// Told of each machine that has just come up, before whoever brought it up does anything in it. It may use
    /// the machine, and is not told again of one that has to be brought up once more for that. What it returns is
    /// told to that caller.
    @FunctionalInterface
    public interface Arrival {
        List<String> arrived(Sandbox row) throws InterruptedException;

        /// One after the other; all that they return.
        static Arrival each(List<Arrival> arrivals) {
            return row -> {
                var notes = new ArrayList<String>();
                for (Arrival arrival : arrivals) notes.addAll(arrival.arrived(row));
                return notes;
            };
        }
    }

    /// From now on `arrival` is told. One at most.
    public void onArrival(Arrival arrival) {
        this.arrival = arrival;
    }

    /// Whether this gateway knows the machine to be up.
    public boolean isUp(SandboxId id) {
        Slot slot = slots.get(id);
        return slot != null
                && slot.open()
                        .filter(open ->
                                open.machine().isPresent() && open.backend().isReady())
                        .isPresent();
    }

    /// Something done in a machine.
    @FunctionalInterface
    public interface Action<T> {
        T in(ExecBackend backend, Machine machine) throws InterruptedException, MachineGone;
    }

    /// Begins to use the row's machine. `cancel` is called if the machine is taken away by force, or its row deleted.
    public Use use(Sandbox sandbox, Runnable cancel) {
        return new Use(sandbox, cancel);
    }

    /// Shuts the machine down. Throws [Conflict] `busy` if somebody uses it, unless `force`: then commands are
    /// cancelled first.
    public void stop(Sandbox sandbox, boolean force) throws InterruptedException {
        if (!stopIf(sandbox, force, lastUsed -> true))
            throw new Conflict(
                    ProblemCode.BUSY,
                    "The sandbox '%s' is in use; stop it by force, or try again later".formatted(sandbox.alias()),
                    Duration.ofSeconds(5));
    }

    /// Shuts an unused machine down if `decision` still says so under the row's lock. False if it was left running.
    public boolean stopIdle(Sandbox sandbox, Predicate<Instant> decision) throws InterruptedException {
        return stopIf(sandbox, false, decision);
    }

    /// Removes the machine of a row that has been deleted; its commands are cancelled first.
    public void destroy(Sandbox sandbox) throws InterruptedException {
        Slot slot = slot(sandbox);
        slot.beginStop(true);
        try {
            slot.uses().forEach(Use::cancel);
            exclusively(sandbox.id(), slot, "removing", () -> {
                backend(slot, sandbox).destroy();
                return true;
            });
            store.removed(sandbox.id());
        } finally {
            slot.endStop();
            slots.remove(sandbox.id(), slot);
            slot.close();
        }
    }

    /// What a slow step is doing right now, if one is under way in this gateway.
    public Optional<LiveState> transition(SandboxId id) {
        Slot slot = slots.get(id);
        if (slot == null) return Optional.empty();
        return slot.transition()
                .map(line -> new LiveState(
                        line.startsWith("stopping") || line.startsWith("removing")
                                ? LiveState.State.STOPPING
                                : LiveState.State.STARTING,
                        line,
                        world.now()));
    }

    /// Whether somebody uses the machine through this gateway.
    public boolean isBusy(SandboxId id) {
        Slot slot = slots.get(id);
        return slot != null && !slot.uses().isEmpty();
    }

    /// Asks the provider about one machine.
    public LiveState observe(Sandbox sandbox) throws InterruptedException {
        Optional<LiveState> transition = transition(sandbox.id());
        if (transition.isPresent()) return transition.get();
        try {
            return backend(slot(sandbox), sandbox).observe();
        } catch (BackendUnavailable e) {
            return new LiveState(LiveState.State.UNKNOWN, e.detail(), world.now());
        }
    }

    private boolean stopIf(Sandbox sandbox, boolean force, Predicate<Instant> decision) throws InterruptedException {
        Slot slot = slot(sandbox);
        if (!slot.beginStop(force)) return false;
        try {
            if (force) slot.uses().forEach(Use::cancel);
            return exclusively(sandbox.id(), slot, "stopping", () -> {
                Sandbox row = live(sandbox.id());
                if (!decision.test(later(slot.lastUsed(), row.lastUsedAt()))) return false;
                if (row.status() instanceof SandboxStatus.Pending) return true;
                backend(slot, row).shutdown();
                slot.open()
                        .ifPresent(open -> slot.open(new Slot.Open(open.backend(), open.version(), Optional.empty())));
                return true;
            });
        } finally {
            slot.endStop();
        }
    }

    /// `byUs`: not by somebody who was faster.
    private record BroughtUp(Slot.Open open, boolean byUs) {}

    private BroughtUp bringUp(SandboxId id, long version, Slot slot) throws InterruptedException {
        return exclusively(id, slot, "starting", () -> {
            Optional<Slot.Open> meanwhile = slot.ready(version);
            if (meanwhile.isPresent()) return new BroughtUp(meanwhile.get(), false);
            Sandbox row = live(id);
            ExecBackend backend = backend(slot, row);
            Machine machine = backend.ensure(line -> slot.transition(Optional.of(line)));
            Sandbox seen = store.seen(id, machine, world.now()).orElseThrow(() -> deleted(row));
            slot.shouldWrite(world.now());
            var open = new Slot.Open(
                    backend,
                    seen.version(),
                    Optional.of(new Machine(machine.externalId(), machine.generation(), List.of())));
            slot.open(open);
            // Only the call that brought it up hears what happened; those that find it up have nothing to hear.
            return new BroughtUp(new Slot.Open(backend, seen.version(), Optional.of(machine)), true);
        });
    }

    private <T> T exclusively(SandboxId id, Slot slot, String what, Step<T> step) throws InterruptedException {
        slot.work.lockInterruptibly();
        try (var _ = leases.hold(id)) {
            slot.transition(Optional.of(what));
            return step.run();
        } finally {
            slot.transition(Optional.empty());
            slot.work.unlock();
        }
    }

    @FunctionalInterface
    private interface Step<T> {
        T run() throws InterruptedException;
    }

    /// The backend for the row as it is now: another config, or another generation than we know, means another
    /// backend.
    private ExecBackend backend(Slot slot, Sandbox row) {
        Optional<Slot.Open> open = slot.open();
        if (open.isPresent() && open.get().version() == row.version())
            return open.get().backend();
        ExecBackend backend = backends.of(row.type()).open(row.spec());
        slot.open(new Slot.Open(backend, row.version(), Optional.empty()));
        open.ifPresent(each -> each.backend().close());
        return backend;
    }

    private Sandbox live(SandboxId id) {
        Sandbox row = store.find(id).orElseThrow(() -> new NotFound("No such sandbox"));
        if (!row.isLive()) throw deleted(row);
        return row;
    }

    private static NotFound deleted(Sandbox row) {
        return new NotFound("The sandbox '%s' has been deleted".formatted(row.alias()));
    }

    private Slot slot(Sandbox sandbox) {
        return slots.computeIfAbsent(sandbox.id(), _ -> new Slot(sandbox.lastUsedAt()));
    }

    private static Instant later(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }

    @Override
    public void close() {
        slots.values().forEach(Slot::close);
        slots.clear();
    }
}
