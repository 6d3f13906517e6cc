package hermit.world;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Does something again and again on a virtual thread of its own, with a pause in between. What it throws is logged,
/// and does not end it.
public final class Ticker implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Ticker.class);

    private final Thread thread;

    private Ticker(Thread thread) {
        this.thread = thread;
    }

    @FunctionalInterface
    public interface Job {
        void run() throws InterruptedException;
    }

    /// The first run comes at once.
    public static Ticker every(Duration pause, String name, World world, Job job) {
        return new Ticker(Thread.ofVirtual().name(name).start(() -> loop(pause, name, world, job)));
    }

    private static void loop(Duration pause, String name, World world, Job job) {
        try {
            while (true) {
                try {
                    job.run();
                } catch (RuntimeException e) {
                    log.error("{} failed; it is tried again in {}", name, pause, e);
                }
                world.pause().of(pause);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join(Duration.ofSeconds(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
