package hermit.config;

import hermit.problem.Fields;
import java.time.Duration;

/// How long things are kept that nobody needs for ever.
///
/// - `execs`: finished commands with their output.
/// - `audit`: records of what was done.
public record RetentionSettings(Duration execs, Duration audit) {
    static RetentionSettings read(Fields document) {
        Fields block = document.nested("retention").orElseGet(Blocks::empty);
        var settings = new RetentionSettings(
                Duration.ofDays(Blocks.number(block, "exec_days", 1, 3_650, 7)),
                Duration.ofDays(Blocks.number(block, "audit_days", 1, 36_500, 365)));
        block.close();
        return settings;
    }
}
