package hermit.backend.keeper;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Real time, and one thread for all that happens later.
public final class SystemScheduler implements Scheduler, AutoCloseable {
    private final InstantSource clock;
    private final ScheduledThreadPoolExecutor executor;

    public SystemScheduler(InstantSource clock) {
        this.clock = clock;
        this.executor = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().name("keeper-timer").daemon().factory());
        // Most tasks are deadlines that are cancelled; kept, each would hold its command for minutes.
        executor.setRemoveOnCancelPolicy(true);
        // A connection that is just being closed may still ask for something later.
        executor.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    }

    @Override
    public Instant instant() {
        return clock.instant();
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public Task after(Duration delay, Runnable task) {
        var future = executor.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
