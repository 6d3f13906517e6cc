package hermit;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Closes what was opened, last one first, also when opening the next one fails.
final class Closer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Closer.class);

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    @FunctionalInterface
    interface Opening<T> {
        T open(Closer closer) throws InterruptedException;
    }

    static <T> T opening(Opening<T> opening) throws InterruptedException {
        var closer = new Closer();
        try {
            return opening.open(closer);
        } catch (RuntimeException | InterruptedException e) {
            closer.close();
            throw e;
        }
    }

    <T extends AutoCloseable> T add(T resource) {
        open.push(resource);
        return resource;
    }

    /// Whatever one of them throws, the others are closed, too. A second call does nothing.
    @Override
    public synchronized void close() {
        while (!open.isEmpty()) {
            AutoCloseable next = open.pop();
            try {
                next.close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                log.error("closing {} failed", next.getClass().getSimpleName(), e);
            }
        }
    }
}
