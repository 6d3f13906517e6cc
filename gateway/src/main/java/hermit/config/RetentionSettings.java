package hermit.config;

import hermit.problem.Fields;
import java.time.Duration;

/// How long things are kept that nobody needs for ever.
///
/// - `execs`: finished commands with their output.
/// - `execOutputBytes`: of output, of all finished commands together.
/// - `audit`: records of what was done.
public record RetentionSettings(Duration execs, long execOutputBytes, Duration audit) {
    private static final long LEAST_OUTPUT = 1L << 20;
    private static final long MOST_OUTPUT = 1L << 50;
    private static final long DEFAULT_OUTPUT = 10L << 30;

    static RetentionSettings read(Fields document) {
        Fields block = document.nested("retention").orElseGet(Blocks::empty);
        var settings = new RetentionSettings(
                Duration.ofDays(Blocks.number(block, "exec_days", 1, 3_650, 7)),
                block.integer("exec_output_bytes", LEAST_OUTPUT, MOST_OUTPUT).orElse(DEFAULT_OUTPUT),
                Duration.ofDays(Blocks.number(block, "audit_days", 1, 36_500, 365)));
        block.close();
        return settings;
    }
}
