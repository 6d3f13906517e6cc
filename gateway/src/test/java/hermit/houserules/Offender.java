package hermit.houserules;

import hermit.problem.Nearest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;

/// Breaks the rules of the house, so that the test of the rules can be seen to notice.
public final class Offender {
    public static final class ClockManager {}

    @FunctionalInterface
    interface Pause {
        void of(Duration duration) throws InterruptedException;
    }

    @SuppressWarnings({"JavaUtilDate", "SystemOut", "JavaInstantGetSecondsGetNano", "TimeZoneUsage", "InstantNow"})
    public String offend(Connection connection) throws SQLException {
        Pause pause = Thread::sleep;
        System.out.println(connection.getCatalog() + pause);
        return String.valueOf(Nearest.to("a", List.of("b")))
                + Instant.now()
                + Clock.systemUTC()
                + System.currentTimeMillis()
                + System.getenv("HOME")
                + new Date(0);
    }
}
