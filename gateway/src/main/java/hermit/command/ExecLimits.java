package hermit.command;

import java.time.Duration;

/// What the operator allows.
///
/// - `maxOutputBytes`: the largest `max_output_bytes` of one stream's answer; `defaultOutputBytes` is what a silent
/// request gets.
/// - `maxConcurrent`: running commands in one sandbox.
/// - `maxPerCaller`: running commands of one caller in all sandboxes, unless that is the admin.
public record ExecLimits(
        Duration defaultTimeout,
        Duration maxTimeout,
        int defaultOutputBytes,
        int maxOutputBytes,
        int maxConcurrent,
        int maxPerCaller) {
    public static final int DEFAULT_PER_CALLER = 64;

    public ExecLimits(
            Duration defaultTimeout,
            Duration maxTimeout,
            int defaultOutputBytes,
            int maxOutputBytes,
            int maxConcurrent) {
        this(defaultTimeout, maxTimeout, defaultOutputBytes, maxOutputBytes, maxConcurrent, DEFAULT_PER_CALLER);
    }

    public ExecLimits withPerCaller(int most) {
        return new ExecLimits(defaultTimeout, maxTimeout, defaultOutputBytes, maxOutputBytes, maxConcurrent, most);
    }

    public static final ExecLimits DEFAULT =
            new ExecLimits(Duration.ofMinutes(5), Duration.ofHours(24), 262_144, 8 << 20, 256);
}
