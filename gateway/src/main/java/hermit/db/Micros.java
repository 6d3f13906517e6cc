package hermit.db;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/// Time as both databases keep it. PostgreSQL rounds to microseconds and SQLite would keep nanoseconds: without this,
/// what is read would not be equal to what was written.
public final class Micros {
    private Micros() {}

    public static Instant of(Instant instant) {
        return instant.truncatedTo(ChronoUnit.MICROS);
    }
}
