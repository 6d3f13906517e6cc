package hermit.http;

import hermit.world.World;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/// Waiting that ends when the test says so.
final class Beats implements World.Pause {
    private final Semaphore due = new Semaphore(0);

    @Override
    public void of(Duration duration) throws InterruptedException {
        due.acquire();
    }

    /// The time has come for one who waits, now or next.
    void next() {
        due.release();
    }
}
