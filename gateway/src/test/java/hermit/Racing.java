package hermit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Does something many times at once.
public final class Racing {
    private Racing() {}

    /// What became of the racers: results, and what was thrown.
    public record Finish<T>(List<T> results, List<Throwable> failures) {}

    /// All racers wait at one line and start together.
    public static <T> Finish<T> of(List<? extends Callable<T>> racers) throws InterruptedException {
        var line = new CountDownLatch(racers.size());
        var results = new ArrayList<T>();
        var failures = new ArrayList<Throwable>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var running = new ArrayList<Future<T>>();
            for (Callable<T> racer : racers)
                running.add(threads.submit(() -> {
                    line.countDown();
                    line.await();
                    return racer.call();
                }));
            for (Future<T> each : running) {
                try {
                    results.add(each.get());
                } catch (ExecutionException e) {
                    failures.add(Optional.ofNullable(e.getCause()).orElse(e));
                }
            }
        }
        return new Finish<>(results, failures);
    }
}
