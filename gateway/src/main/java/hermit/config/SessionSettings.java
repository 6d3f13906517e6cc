package hermit.config;

import hermit.problem.Fields;
import java.time.Duration;

/// `idleEnd`: a session that was silent for so long has ended.
public record SessionSettings(Duration idleEnd) {
    private static final int A_YEAR_IN_MINUTES = 365 * 24 * 60;

    static SessionSettings read(Fields document) {
        Fields block = document.nested("sessions").orElseGet(Blocks::empty);
        var settings = new SessionSettings(
                Duration.ofMinutes(Blocks.number(block, "idle_end_minutes", 1, A_YEAR_IN_MINUTES, 60)));
        block.close();
        return settings;
    }
}
