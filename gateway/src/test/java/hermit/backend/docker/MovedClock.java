package hermit.backend.docker;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/// Real time, which a test can put forward.
final class MovedClock implements InstantSource {
    private final InstantSource real;
    private volatile Duration ahead = Duration.ZERO;

    MovedClock(InstantSource real) {
        this.real = real;
    }

    void advance(Duration by) {
        ahead = ahead.plus(by);
    }

    @Override
    public Instant instant() {
        return real.instant().plus(ahead);
    }
}
