package hermit.config;

import hermit.command.ExecLimits;
import hermit.problem.Fields;
import java.time.Duration;

/// Reads the block `exec`: limits of every command, whichever sandbox it runs in.
final class ExecBlock {
    /// As long as a sandbox's own `timeout_ms` may be.
    private static final Duration LONGEST = Duration.ofDays(7);
    /// An answer is built in memory: two streams of this size, base64 and JSON around them, still fit a small heap.
    private static final int MOST_OUTPUT_BYTES = 64 << 20;

    private static final int MOST_CONCURRENT = 1_024;
    private static final ExecLimits STAND_IN = ExecLimits.DEFAULT;

    private ExecBlock() {}

    static ExecLimits read(Fields document) {
        Fields block = document.nested("exec").orElseGet(Blocks::empty);
        var limits = new ExecLimits(
                Blocks.millis(block, "default_timeout_ms", LONGEST, STAND_IN.defaultTimeout()),
                Blocks.millis(block, "max_timeout_ms", LONGEST, STAND_IN.maxTimeout()),
                Blocks.number(block, "default_output_bytes", 0, MOST_OUTPUT_BYTES, STAND_IN.defaultOutputBytes()),
                Blocks.number(block, "max_output_bytes", 0, MOST_OUTPUT_BYTES, STAND_IN.maxOutputBytes()),
                Blocks.number(block, "max_concurrent", 1, MOST_CONCURRENT, STAND_IN.maxConcurrent()));
        if (limits.defaultTimeout().compareTo(limits.maxTimeout()) > 0)
            block.mistake("default_timeout_ms", "must not exceed max_timeout_ms");
        if (limits.defaultOutputBytes() > limits.maxOutputBytes())
            block.mistake("default_output_bytes", "must not exceed max_output_bytes");
        block.close();
        return limits;
    }
}
