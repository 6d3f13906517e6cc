package hermit.turn;

import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// A turn that runs here, as others see it: it can be told to stop, and woken up to look at the time. Its
/// own thread does all the deciding and writing, and is never interrupted; what may block for long is done
/// by [Job]s.
final class RunningTurn {
    /// Why it is to stop.
    enum Stop {
        CANCELLED,
        MAX_TIME,
        /// Another gateway has ended it, or its session has been deleted: nothing may be written any more.
        LOST,
        /// The gateway goes away. Commands go on.
        CLOSING
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Instant startedAt;
    private Optional<Stop> stop = Optional.empty();
    private long changes;

    RunningTurn(Instant startedAt) {
        this.startedAt = startedAt;
    }

    Instant startedAt() {
        return startedAt;
    }

    /// The first reason counts, unless the gateway goes away or the turn is another's.
    void stop(Stop why) {
        lock.lock();
        try {
            if (stop.isEmpty() || why == Stop.CLOSING || why == Stop.LOST) stop = Optional.of(why);
        } finally {
            lock.unlock();
        }
        wake();
    }

    Optional<Stop> stopped() {
        lock.lock();
        try {
            return stop;
        } finally {
            lock.unlock();
        }
    }

    /// Something may have to be done.
    void wake() {
        lock.lock();
        try {
            changes++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// To be asked for before one looks, so that what happens after the look is not slept through.
    long changes() {
        lock.lock();
        try {
            return changes;
        } finally {
            lock.unlock();
        }
    }

    /// Waits until something has happened since.
    void await(long seen) {
        lock.lock();
        try {
            while (changes == seen) changed.awaitUninterruptibly();
        } finally {
            lock.unlock();
        }
    }

    <T> Job<T> start(String name, Callable<T> work) {
        return new Job<>(name, work);
    }

    /// Something that may take long, on a thread of its own. When it has come to its end, the turn is woken.
    final class Job<T> {
        private final Thread thread;
        private volatile Optional<T> result = Optional.empty();
        private volatile Optional<Exception> failure = Optional.empty();
        private volatile boolean over;

        private Job(String name, Callable<T> work) {
            thread = Thread.ofVirtual().name(name).start(() -> run(work));
        }

        private void run(Callable<T> work) {
            try {
                result = Optional.of(work.call());
            } catch (Exception e) {
                failure = Optional.of(e);
            } finally {
                over = true;
                wake();
            }
        }

        boolean isOver() {
            return over;
        }

        void interrupt() {
            thread.interrupt();
        }

        /// Of one that is over: empty if it has failed.
        Optional<T> result() {
            return result;
        }

        Optional<Exception> failure() {
            return failure;
        }
    }
}
