package hermit.world;

import hermit.exec.Uuids;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.random.RandomGenerator;

/// The clock, where new ids come from, and how to wait.
public record World(InstantSource clock, RandomGenerator random, Pause pause) {
    /// Waits for about as long; an interrupt ends it.
    @FunctionalInterface
    public interface Pause {
        void of(Duration duration) throws InterruptedException;
    }

    /// The time in microseconds: PostgreSQL keeps no more, and what is read back must equal what was written.
    public Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }

    /// A fresh id whose first digits are as random as its last.
    public UUID newRandomId() {
        return Uuids.random(random);
    }

    /// A fresh id that sorts after those made before.
    public UUID newId() {
        return Uuids.timeOrdered(clock.instant(), random);
    }
}
