package hermit.backend.cloud;

import hermit.backend.keeper.Scheduler;
import hermit.problem.GatewayException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Puts off the end that the provider has set for a machine, as long as something runs in it. A failure is logged and
/// tried again at the next turn: the provider may be out of reach for a moment, and the command runs on.
final class KeepAlive implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(KeepAlive.class);

    private final Scheduler scheduler;
    private final Duration every;
    private final BooleanSupplier busy;
    private final Prolonging prolonging;

    private Scheduler.Task next = Scheduler.Task.NONE;
    private long lastAt;
    private boolean ticking;
    private boolean closed;

    /// Asks the provider.
    @FunctionalInterface
    interface Prolonging {
        void prolong() throws InterruptedException;
    }

    KeepAlive(Scheduler scheduler, Duration every, BooleanSupplier busy, Prolonging prolonging) {
        this.scheduler = scheduler;
        this.every = every;
        this.busy = busy;
        this.prolonging = prolonging;
        this.lastAt = scheduler.nanos();
    }

    /// It has just been prolonged, or made.
    synchronized void fresh() {
        lastAt = scheduler.nanos();
    }

    /// Something begins to run. Costs nothing while something runs already. After a silence the end may be near, so
    /// that it is put off at once.
    synchronized void begin() {
        if (ticking || closed) return;
        ticking = true;
        if (scheduler.nanos() - lastAt >= every.toNanos()) turn();
        else next = scheduler.after(every, this::turn);
    }

    private void turn() {
        Thread.ofVirtual().name("keep-alive").start(this::prolong);
    }

    private void prolong() {
        try {
            if (busy.getAsBoolean()) {
                fresh();
                prolonging.prolong();
            }
        } catch (GatewayException e) {
            log.warn("a sandbox in use could not be prolonged: {}", e.detail());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            ticking = busy.getAsBoolean() && !closed;
            if (ticking) next = scheduler.after(every, this::turn);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        next.cancel();
    }
}
