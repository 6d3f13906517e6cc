package hermit.cli;

import java.time.Duration;

/// Waits. Tests bring one that does not.
@FunctionalInterface
interface Pause {
    void of(Duration time) throws InterruptedException;
}
