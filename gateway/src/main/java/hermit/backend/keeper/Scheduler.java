package hermit.backend.keeper;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;

/// Time, and what is to happen later.
public interface Scheduler extends InstantSource {
    /// Nanoseconds on a clock that only goes forward, from an arbitrary start.
    long nanos();

    /// Runs a task once, unless it is cancelled before. The task must neither block nor throw.
    Task after(Duration delay, Runnable task);

    /// Waits for so long.
    default void pause(Duration delay) throws InterruptedException {
        var over = new CountDownLatch(1);
        after(delay, over::countDown);
        over.await();
    }

    /// Something that is to happen.
    @FunctionalInterface
    interface Task {
        /// A task that is not there.
        Task NONE = () -> {};

        /// Does nothing if it has run already. Does not wait for one that is running.
        void cancel();
    }
}
