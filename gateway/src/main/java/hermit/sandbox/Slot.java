package hermit.sandbox;

import hermit.exec.ExecBackend;
import hermit.exec.Machine;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/// What this gateway knows of one row's machine while somebody uses it. `work` serialises ensure,
/// shutdown and destroy; everything else is guarded by the slot itself.
final class Slot {
    final ReentrantLock work = new ReentrantLock();

    private final Set<Machines.Use> uses = new HashSet<>();
    private Optional<Open> open = Optional.empty();
    private Optional<String> transition = Optional.empty();
    private boolean stopping;
    private Instant lastUsed;
    private Instant lastWritten = Instant.MIN;

    /// A backend that is open for one version of the row's config, and the machine of its last ensure.
    record Open(ExecBackend backend, long version, Optional<Machine> machine) {}

    Slot(Instant lastUsed) {
        this.lastUsed = lastUsed;
    }

    synchronized void begin(Machines.Use use, Instant now) {
        uses.add(use);
        lastUsed = later(lastUsed, now);
    }

    synchronized void end(Machines.Use use, Instant now) {
        if (uses.remove(use)) lastUsed = later(lastUsed, now);
    }

    synchronized List<Machines.Use> uses() {
        return List.copyOf(uses);
    }

    synchronized Instant lastUsed() {
        return lastUsed;
    }

    /// From here on no command starts without taking `work` first. False, and nothing is changed, if
    /// somebody uses the machine and `force` is not set.
    synchronized boolean beginStop(boolean force) {
        if (!uses.isEmpty() && !force) return false;
        stopping = true;
        return true;
    }

    synchronized void endStop() {
        stopping = false;
    }

    /// The machine, if a command may start in it without asking anybody. `version` is that of the row
    /// as the caller has just read it.
    synchronized Optional<Open> ready(long version) {
        if (stopping) return Optional.empty();
        return open.filter(each -> each.version() >= version
                && each.machine().isPresent()
                && each.backend().isReady());
    }

    synchronized Optional<Open> open() {
        return open;
    }

    synchronized void open(Open now) {
        open = Optional.of(now);
    }

    /// What the machine is going through, for people; empty when nothing is under way.
    synchronized Optional<String> transition() {
        return transition;
    }

    synchronized void transition(Optional<String> line) {
        transition = line;
    }

    /// Whether the last sign of use was written so long ago that it should be written again; if so, it counts as
    /// written now.
    synchronized boolean shouldWrite(Instant now) {
        if (lastWritten.plus(Machines.WRITE_EVERY).isAfter(now)) return false;
        lastWritten = now;
        return true;
    }

    void close() {
        Optional<Open> closing;
        synchronized (this) {
            closing = open;
            open = Optional.empty();
        }
        closing.ifPresent(each -> each.backend().close());
    }

    private static Instant later(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }
}
