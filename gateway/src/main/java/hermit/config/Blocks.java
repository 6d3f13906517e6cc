package hermit.config;

import hermit.problem.Fields;
import java.time.Duration;
import java.util.Map;

/// What the readers of all blocks have in common.
final class Blocks {
    private Blocks() {}

    /// Stands for a block that is not there: every field of it is silent.
    static Fields empty() {
        return Fields.of(Map.of());
    }

    static long number(Fields block, String key, long min, long max, long standIn) {
        return block.integer(key, min, max).orElse(standIn);
    }

    static Duration millis(Fields block, String key, Duration min, Duration max, Duration standIn) {
        return block.integer(key, min.toMillis(), max.toMillis())
                .map(Duration::ofMillis)
                .orElse(standIn);
    }
}
