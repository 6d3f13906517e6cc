package hermit.config;

import hermit.problem.Fields;
import java.time.Duration;

/// How long things are kept that nobody needs for ever. `execs`: finished commands with their output.
public record RetentionSettings(Duration execs) {
    static RetentionSettings read(Fields document) {
        Fields block = document.nested("retention").orElseGet(Blocks::empty);
        var settings = new RetentionSettings(Duration.ofDays(Blocks.number(block, "exec_days", 1, 3_650, 7)));
        block.close();
        return settings;
    }
}
