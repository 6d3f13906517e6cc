package hermit.backend.keeper;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/// Waits for what other threads do. The limit is only there so that a broken test ends.
final class Waiting {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private Waiting() {}

    static void until(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > LIMIT.toNanos()) throw new AssertionError("waited in vain");
            Thread.onSpinWait();
        }
    }
}
