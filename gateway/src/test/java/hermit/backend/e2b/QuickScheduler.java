package hermit.backend.e2b;

import hermit.backend.keeper.Scheduler;
import hermit.backend.keeper.SystemScheduler;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/// Real time, in which pauses are over at once: the clock jumps instead.
final class QuickScheduler implements Scheduler, AutoCloseable {
    private final SystemScheduler real = new SystemScheduler(InstantSource.system());
    private final AtomicLong jumped = new AtomicLong();
    private final List<Duration> pauses = new CopyOnWriteArrayList<>();

    List<Duration> pauses() {
        return List.copyOf(pauses);
    }

    @Override
    public void pause(Duration delay) throws InterruptedException {
        if (Thread.interrupted()) throw new InterruptedException();
        pauses.add(delay);
        jumped.addAndGet(delay.toNanos());
    }

    @Override
    public long nanos() {
        return real.nanos() + jumped.get();
    }

    @Override
    public Instant instant() {
        return real.instant().plusNanos(jumped.get());
    }

    @Override
    public Task after(Duration delay, Runnable task) {
        return real.after(delay, task);
    }

    @Override
    public void close() {
        real.close();
    }
}
