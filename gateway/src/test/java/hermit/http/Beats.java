package hermit.http;

import hermit.world.World;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/// Waiting that ends when the test says so.
final class Beats implements World.Pause {
    private final Semaphore due = new Semaphore(0);
    private final AtomicInteger taken = new AtomicInteger();

    @Override
    public void of(Duration duration) throws InterruptedException {
        due.acquire();
        taken.incrementAndGet();
    }

    /// How many have waited to the end.
    int taken() {
        return taken.get();
    }

    /// From now on nobody waits.
    void always() {
        due.release(1 << 30);
    }

    /// The time has come for one who waits, now or next.
    void next() {
        due.release();
    }
}
