package hermit.backend.keeper;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Time that stands still until a test moves it.
final class ManualScheduler implements Scheduler {
    private record Due(long at, Runnable task) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<Due> tasks = new ArrayList<>();
    private long now;

    @Override
    public Instant instant() {
        return Instant.parse("2026-01-01T00:00:00Z").plusNanos(nanos());
    }

    @Override
    public long nanos() {
        lock.lock();
        try {
            return now;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Task after(Duration delay, Runnable task) {
        lock.lock();
        try {
            var due = new Due(now + delay.toNanos(), task);
            tasks.add(due);
            changed.signalAll();
            return () -> remove(due);
        } finally {
            lock.unlock();
        }
    }

    /// Moves time on, and runs on this thread what becomes due, each task at its time.
    void advance(Duration by) {
        long until = nanos() + by.toNanos();
        while (true) {
            Runnable task;
            lock.lock();
            try {
                var next = tasks.stream().filter(each -> each.at <= until).min(Comparator.comparingLong(Due::at));
                if (next.isEmpty()) {
                    now = until;
                    return;
                }
                now = Math.max(now, next.get().at);
                tasks.remove(next.get());
                task = next.get().task;
            } finally {
                lock.unlock();
            }
            task.run();
        }
    }

    /// Waits until something is to happen within this time: another thread has come to the point where it waits for it.
    void awaitTaskWithin(Duration time) throws InterruptedException {
        long left = TimeUnit.SECONDS.toNanos(10);
        lock.lockInterruptibly();
        try {
            while (tasks.stream().noneMatch(each -> each.at - now <= time.toNanos())) {
                if (left <= 0) throw new AssertionError("nothing is to happen within " + time);
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    private void remove(Due due) {
        lock.lock();
        try {
            tasks.remove(due);
        } finally {
            lock.unlock();
        }
    }
}
