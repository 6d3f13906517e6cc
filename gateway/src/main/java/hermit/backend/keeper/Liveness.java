package hermit.backend.keeper;

import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;

/// Sees to it that both sides of a connection hear from each other, and notices when the other one is dead.
final class Liveness {
    /// A bridge ends by itself when the gateway is silent for 60 s; a proxy in between may be less patient.
    static final Duration PING_AFTER = Duration.ofSeconds(15);

    static final Duration DEAD_AFTER = Duration.ofSeconds(45);

    private final Scheduler scheduler;
    private final Pings pings;
    private final Outbox outbox;
    private final Consumer<IOException> dead;
    private volatile long lastReceived;
    private volatile long lastSent;
    private volatile boolean over;
    private long lastPing; // used by the scheduler's tasks only, which follow one another

    /// `dead`: what to do with a connection that is of no use any more.
    Liveness(Scheduler scheduler, Pings pings, Outbox outbox, Consumer<IOException> dead) {
        this.scheduler = scheduler;
        this.pings = pings;
        this.outbox = outbox;
        this.dead = dead;
        this.lastReceived = scheduler.nanos();
        this.lastSent = lastReceived;
        this.lastPing = lastReceived;
    }

    void received() {
        lastReceived = scheduler.nanos();
    }

    void sent() {
        lastSent = scheduler.nanos();
    }

    /// How long nothing came.
    Duration silence() {
        return Duration.ofNanos(scheduler.nanos() - lastReceived);
    }

    void stop() {
        over = true;
    }

    /// To be called once; from then on it calls itself whenever a ping may be due or the keeper may be dead.
    void watch() {
        if (over) return;
        long now = scheduler.nanos();
        var heard = Duration.ofNanos(now - lastReceived);
        if (heard.compareTo(DEAD_AFTER) >= 0) {
            dead.accept(new IOException("nothing came from the keeper for " + DEAD_AFTER));
            return;
        }
        if (outbox.overflowed()) {
            dead.accept(new IOException(Outbox.NOT_READ));
            return;
        }
        // Either way counts: a keeper that only sends would not notice that we live.
        long since = now - Math.max(lastPing, Math.min(lastReceived, lastSent));
        if (since >= PING_AFTER.toNanos()) {
            lastPing = now;
            since = 0;
            var _ = pings.send(); // that anything comes is enough
        }
        var next = PING_AFTER.minusNanos(since);
        var death = DEAD_AFTER.minus(heard);
        scheduler.after(next.compareTo(death) < 0 ? next : death, this::watch);
    }
}
