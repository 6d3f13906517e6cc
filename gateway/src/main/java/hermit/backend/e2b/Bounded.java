package hermit.backend.e2b;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Bounds in time what reads from a stream that may never say anything again.
final class Bounded {
    private Bounded() {}

    @FunctionalInterface
    interface Reading<T> {
        T read() throws IOException;
    }

    /// `close` ends the reading, and is called if it fails, takes too long, or its caller is interrupted. `late` is the
    /// message of the exception for the second case.
    static <T> T read(Duration within, String late, Runnable close, Reading<T> reading)
            throws IOException, InterruptedException {
        var result = new CompletableFuture<T>();
        Thread.ofVirtual().name("e2b-reading").start(() -> {
            try {
                result.complete(reading.read());
            } catch (IOException | RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        try {
            return result.get(within.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            close.run();
            throw new IOException(late, e);
        } catch (InterruptedException e) {
            close.run();
            throw e;
        } catch (ExecutionException e) {
            close.run();
            var cause = e.getCause() == null ? e : e.getCause();
            throw new IOException(String.valueOf(cause.getMessage()), cause);
        }
    }
}
