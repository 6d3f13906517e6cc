package hermit.command;

import java.time.Duration;

/// What the operator allows.
///
/// - `maxOutputBytes`: the largest `max_output_bytes` of one stream's answer; `defaultOutputBytes` is what a silent
/// request gets.
/// - `maxConcurrent`: running commands in one sandbox.
public record ExecLimits(
        Duration defaultTimeout, Duration maxTimeout, int defaultOutputBytes, int maxOutputBytes, int maxConcurrent) {
    public static final ExecLimits DEFAULT =
            new ExecLimits(Duration.ofMinutes(5), Duration.ofHours(24), 262_144, 8 << 20, 256);
}
