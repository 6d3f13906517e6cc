package hermit.world;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// A world whose time stands still until the test moves it. A pause ends when time has moved far enough.
public final class TestWorld {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition moved = lock.newCondition();
    private Instant now = Instant.parse("2026-11-01T10:00:00Z");
    private int pausing;

    public World world() {
        return world(42);
    }

    /// One of several with the same time: each has ids of its own.
    public World world(long seed) {
        return new World(this::now, new Random(seed), this::pause);
    }

    public Instant now() {
        lock.lock();
        try {
            return now;
        } finally {
            lock.unlock();
        }
    }

    public void advance(Duration duration) {
        lock.lock();
        try {
            now = now.plus(duration);
            moved.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Waits until so many threads are pausing, so that moving the time is seen by all of them.
    public void awaitPausing(int threads) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (pausing < threads) moved.await();
        } finally {
            lock.unlock();
        }
    }

    private void pause(Duration duration) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            Instant until = now.plus(duration);
            pausing++;
            moved.signalAll();
            try {
                while (now.isBefore(until)) moved.await();
            } finally {
                pausing--;
            }
        } finally {
            lock.unlock();
        }
    }
}
