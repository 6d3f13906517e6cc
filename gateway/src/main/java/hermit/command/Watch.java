package hermit.command;

import hermit.exec.Command;
import hermit.exec.ExecId;
import hermit.exec.Exit;
import hermit.exec.OutputStreamKind;
import hermit.exec.RunningCommand;
import hermit.problem.GatewayException;
import hermit.sandbox.Machines;
import hermit.sandbox.SandboxId;
import hermit.world.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The commands that this gateway watches: one virtual thread each waits for the end, stores it, and then tells
/// everybody.
public final class Watch implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Watch.class);
    /// While the database is away, an outcome is kept and tried again; in all for about five minutes.
    private static final int STORE_ATTEMPTS = 60;

    private static final Duration STORE_PAUSE = Duration.ofSeconds(5);

    /// A command that runs so long is shown as running by its row, too.
    private static final Duration NOTE_AFTER = Duration.ofMillis(50);

    private final ExecStore store;
    private final World world;
    private final List<ExecListener> listeners;
    private final ConcurrentHashMap<ExecId, LiveExec> live = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<ExecId, Thread> threads = new ConcurrentHashMap<>();
    private final Set<Thread> notes = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closed = new AtomicBoolean();

    /// Told of each command.
    @FunctionalInterface
    public interface ExecListener {
        /// Its row has been written, and nothing has run. A [GatewayException] keeps it from running.
        default void starting(ExecRecord record) {}

        /// It has ended, which has been stored. Must not throw.
        void ended(ExecRecord record);
    }

    public Watch(ExecStore store, World world, ExecListener... listeners) {
        this.store = store;
        this.world = world;
        this.listeners = List.of(listeners);
    }

    /// What is known of it now, which its row may say a little later.
    ExecRecord latest(ExecRecord stored) {
        return find(stored.id()).map(LiveExec::record).orElse(stored);
    }

    public Optional<LiveExec> find(ExecId id) {
        return Optional.ofNullable(live.get(id));
    }

    /// All terminals that are open.
    List<LiveExec> terminals() {
        return live.values().stream()
                .filter(each -> each.record().terminal().isPresent()
                        && each.record().outcome().isEmpty())
                .toList();
    }

    public int count() {
        return live.size();
    }

    int countIn(SandboxId sandbox) {
        int count = 0;
        for (LiveExec each : live.values()) if (each.record().sandboxId().equals(sandbox)) count++;
        return count;
    }

    int countOf(String caller) {
        int count = 0;
        for (LiveExec each : live.values()) if (each.record().caller().equals(caller)) count++;
        return count;
    }

    /// Makes the command known before its row is written, so that [Recovery] does not take the row for one that nobody
    /// watches.
    LiveExec announce(ExecRecord record) {
        var exec = new LiveExec(record);
        live.put(record.id(), exec);
        return exec;
    }

    /// Takes an announcement back: the row was not written.
    void withdraw(LiveExec exec) {
        live.remove(exec.id(), exec);
    }

    /// Starts the command whose row has been written, and watches it. `use` is closed when it has
    /// ended. If this throws a [GatewayException], the command has not been started and its row says
    /// so.
    ///
    /// `precondition`: looked at right before it begins.
    void start(LiveExec exec, Command command, Machines.Use use, Precondition precondition)
            throws InterruptedException {
        ExecRecord record = exec.record();
        try {
            listeners.forEach(each -> each.starting(record));
            Started started = use.call((backend, machine) -> {
                precondition.require(machine.generation());
                return new Started(
                        backend.start(command, exec), machine.generation(), machine.notes(), backend::forget);
            });
            ExecRecord running =
                    record.started(started.generation, together(record.notes(), started.notes), world.now());
            exec.started(running, started.command);
            noteIfLong(exec, running);
            watch(exec, started, use);
        } catch (GatewayException e) {
            end(exec, Outcome.notStarted(e.code().wire(), e.detail(), world.now()), List.of());
            throw e;
        } catch (InterruptedException | RuntimeException e) {
            withdraw(exec); // whether it began is not known here: recovery asks the sandbox
            throw e;
        }
    }

    /// Most commands end before their start is worth a write of its own: their end tells of it.
    private void noteIfLong(LiveExec exec, ExecRecord running) {
        Thread thread = Thread.ofVirtual().name("exec-started-" + exec.id()).unstarted(() -> {
            try {
                world.pause().of(NOTE_AFTER);
                if (exec.record().outcome().isEmpty()) store.started(running);
            } catch (GatewayException.BackendUnavailable e) {
                // It runs all the same, and its end will be written.
                log.warn("command {} has started, which could not be noted: {}", running.id(), e.detail());
            } catch (InterruptedException e) {
                log.debug("that command {} has started is not noted: the gateway stops", running.id());
            } catch (RuntimeException e) {
                log.error("noting the start of command {} failed", running.id(), e);
            } finally {
                notes.remove(Thread.currentThread());
            }
        });
        notes.add(thread);
        thread.start();
    }

    /// Follows a command that an earlier run of this gateway started.
    void resume(ExecRecord record, Machines.Use use) throws InterruptedException {
        var exec = new LiveExec(record);
        live.put(record.id(), exec);
        try {
            Optional<Started> found = use.call((backend, machine) -> backend.attach(record.id(), 0, 0, exec)
                    .map(command -> new Started(command, machine.generation(), List.of(), backend::forget)));
            if (found.isEmpty()) {
                end(exec, lost(record), List.of());
                use.close();
                return;
            }
            exec.started(
                    record.startedAt().isPresent()
                            ? record
                            : record.started(record.generation(), record.notes(), world.now()),
                    found.get().command);
            watch(exec, found.get(), use);
        } catch (InterruptedException | RuntimeException e) {
            live.remove(record.id(), exec);
            use.close();
            throw e;
        }
    }

    /// Ends a row that nobody can learn more about.
    void giveUp(ExecRecord record, Outcome outcome) {
        end(new LiveExec(record), outcome, List.of());
    }

    private Outcome lost(ExecRecord record) {
        var now = world.now();
        // A start is noted a little later, so its absence tells nothing.
        if (record.startedAt().isEmpty())
            return Outcome.gatewayRestarted(
                    "the gateway was restarted about when the command was to begin: whether it began is not known,"
                            + " and the sandbox knows nothing of it",
                    Duration.between(record.createdAt(), now),
                    now);
        var ran = Duration.between(record.startedAt().get(), now);
        return Outcome.gatewayRestarted(
                "the gateway was restarted while the command ran, and the sandbox knows nothing of it any more",
                ran,
                now);
    }

    private record Started(RunningCommand command, long generation, List<String> notes, Consumer<ExecId> forget) {}

    private void watch(LiveExec exec, Started started, Machines.Use use) {
        Thread thread = Thread.ofVirtual().name("exec-" + exec.id()).unstarted(() -> {
            try (use) {
                Exit.End end = started.command.await();
                exec.counted(end.stdoutBytes(), end.stderrBytes());
                diagnosis(exec.record(), end.exit()).ifPresent(exec::diagnose);
                if (end(exec, Outcome.of(end.exit(), end.duration(), world.now()), notes(end)))
                    started.forget.accept(exec.id());
            } catch (InterruptedException e) {
                log.debug("command {} runs on while the gateway stops", exec.id());
            } catch (RuntimeException e) {
                if (closed.get()) log.debug("command {} runs on while the gateway stops", exec.id());
                else log.error("watching command {} failed", exec.id(), e);
            } finally {
                live.remove(exec.id(), exec);
                threads.remove(exec.id());
            }
        });
        threads.put(exec.id(), thread);
        thread.start();
    }

    /// What the end has to tell beside the reason.
    private static List<String> notes(Exit.End end) {
        var notes = new ArrayList<String>();
        if (end.oomKills() > 0 && !(end.exit() instanceof Exit.OomKilled))
            notes.add("the kernel killed %d process(es) in the sandbox for memory while this ran"
                    .formatted(end.oomKills()));
        DiskNotes.of(end).ifPresent(notes::add);
        return notes;
    }

    /// Stores the outcome, then tells everybody. False if it could not be stored.
    private boolean end(LiveExec exec, Outcome outcome, List<String> more) {
        ExecRecord record = exec.record();
        List<String> notes = together(record.notes(), more);
        ExecRecord ended =
                record.ended(outcome, exec.total(OutputStreamKind.STDOUT), exec.total(OutputStreamKind.STDERR), notes);
        boolean stored = store(ended, exec.heads());
        // Whoever has waited for the end finds the row, as everybody does from now on.
        live.remove(exec.id(), exec);
        exec.ended(ended);
        listeners.forEach(each -> each.ended(ended));
        return stored;
    }

    private boolean store(ExecRecord ended, StoredOutput output) {
        for (int attempt = 1; attempt <= STORE_ATTEMPTS; attempt++) {
            try {
                store.ended(ended, output);
                return true;
            } catch (GatewayException.BackendUnavailable e) {
                if (attempt == 1)
                    log.error("the outcome of command {} cannot be stored yet: {}", ended.id(), e.detail());
                try {
                    world.pause().of(STORE_PAUSE);
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }
        }
        log.error("the outcome of command {} was not stored: {}", ended.id(), ended.outcome());
        return false;
    }

    private static Optional<String> diagnosis(ExecRecord record, Exit exit) {
        String budget =
                record.timeout().map(timeout -> timeout.toMillis() + " ms").orElse("no limit");
        return switch (exit) {
            case Exit.TimedOut _ ->
                Optional.of("hermit: the command was ended because its budget of %s ran out".formatted(budget));
            case Exit.TransportLost(String detail) ->
                Optional.of("hermit: how the command would have ended is not known, and further output is unavailable: "
                        + detail);
            case Exit.Exited _, Exit.Signaled _, Exit.Cancelled _, Exit.OomKilled _, Exit.SandboxLost _ ->
                Optional.empty();
        };
    }

    private static List<String> together(List<String> a, List<String> b) {
        var all = new ArrayList<>(a);
        for (String each : b) if (!all.contains(each)) all.add(each);
        return all;
    }

    /// Stops watching. The commands run on in their sandboxes, and the next start of the gateway finds them again.
    @Override
    public void close() {
        closed.set(true);
        threads.values().forEach(Thread::interrupt);
        notes.forEach(Thread::interrupt);
    }
}
