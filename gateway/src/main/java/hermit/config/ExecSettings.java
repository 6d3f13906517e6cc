package hermit.config;

import hermit.problem.Fields;
import java.time.Duration;

/// Limits of every command, whichever sandbox it runs in.
///
/// - `defaultTimeout`: the budget of a command when neither it nor its sandbox states one.
/// - `maxTimeout`: the longest budget that anybody may ask for.
/// - `defaultOutputBytes`, `maxOutputBytes`: how much of each stream an answer keeps, unless asked otherwise and at
/// most.
/// - `maxConcurrent`: commands that may run side by side in one sandbox.
public record ExecSettings(
        Duration defaultTimeout, Duration maxTimeout, int defaultOutputBytes, int maxOutputBytes, int maxConcurrent) {

    private static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(5);
    private static final Duration DEFAULT_MAX_TIMEOUT = Duration.ofHours(24);
    /// As long as a sandbox's own `timeout_ms` may be.
    private static final Duration LONGEST = Duration.ofDays(7);

    private static final int DEFAULT_OUTPUT_BYTES = 256 << 10;
    private static final int DEFAULT_MAX_OUTPUT_BYTES = 8 << 20;
    /// An answer is built in memory: two streams of this size, base64 and JSON around them, still fit a small heap.
    private static final int MOST_OUTPUT_BYTES = 64 << 20;

    static ExecSettings read(Fields document) {
        Fields block = document.nested("exec").orElseGet(Blocks::empty);
        var settings = new ExecSettings(
                Blocks.millis(block, "default_timeout_ms", Duration.ofMillis(1), LONGEST, DEFAULT_TIMEOUT),
                Blocks.millis(block, "max_timeout_ms", Duration.ofMillis(1), LONGEST, DEFAULT_MAX_TIMEOUT),
                (int) Blocks.number(block, "default_output_bytes", 0, MOST_OUTPUT_BYTES, DEFAULT_OUTPUT_BYTES),
                (int) Blocks.number(block, "max_output_bytes", 0, MOST_OUTPUT_BYTES, DEFAULT_MAX_OUTPUT_BYTES),
                (int) Blocks.number(block, "max_concurrent", 1, 1_024, 256));
        if (settings.defaultTimeout.compareTo(settings.maxTimeout) > 0)
            block.mistake(
                    "default_timeout_ms",
                    "must not exceed max_timeout_ms (%d)".formatted(settings.maxTimeout.toMillis()));
        if (settings.defaultOutputBytes > settings.maxOutputBytes)
            block.mistake(
                    "default_output_bytes", "must not exceed max_output_bytes (%d)".formatted(settings.maxOutputBytes));
        block.close();
        return settings;
    }
}
