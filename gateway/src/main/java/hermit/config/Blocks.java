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

    static int number(Fields block, String key, int min, int max, int standIn) {
        return block.integer(key, min, max).map(Math::toIntExact).orElse(standIn);
    }

    /// At least a millisecond.
    static Duration millis(Fields block, String key, Duration max, Duration standIn) {
        return block.integer(key, 1, max.toMillis()).map(Duration::ofMillis).orElse(standIn);
    }
}
