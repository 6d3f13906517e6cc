package hermit.backend.daytona;

import hermit.backend.keeper.Scheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/// Real time, of which what is longer than [#REAL] passes at once: as if that much had gone by.
final class HastyScheduler implements Scheduler {
    private static final Duration REAL = Duration.ofSeconds(8);

    private final Scheduler real;
    private final AtomicLong skipped = new AtomicLong();
    private final List<Duration> pauses = new CopyOnWriteArrayList<>();

    HastyScheduler(Scheduler real) {
        this.real = real;
    }

    /// The long ones.
    List<Duration> pauses() {
        return List.copyOf(pauses);
    }

    /// So much time goes by.
    void pass(Duration time) {
        skipped.addAndGet(time.toNanos());
    }

    @Override
    public Instant instant() {
        return real.instant().plusNanos(skipped.get());
    }

    @Override
    public long nanos() {
        return real.nanos() + skipped.get();
    }

    @Override
    public Task after(Duration delay, Runnable task) {
        return real.after(delay.compareTo(REAL) > 0 ? REAL : delay, task);
    }

    @Override
    public void pause(Duration delay) throws InterruptedException {
        if (delay.compareTo(REAL) <= 0) {
            real.pause(delay);
            return;
        }
        pauses.add(delay);
        pass(delay);
    }
}
