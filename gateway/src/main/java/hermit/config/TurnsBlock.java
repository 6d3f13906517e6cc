package hermit.config;

import hermit.problem.Fields;
import hermit.turn.TurnLimits;
import java.time.Duration;

/// Reads the block `turns`: what the turns of agents may take.
final class TurnsBlock {
    private static final int MOST_STEPS = 1_000;
    private static final int A_DAY_IN_MINUTES = 24 * 60;
    private static final int MOST_CONCURRENT = 1_000;
    private static final TurnLimits STAND_IN = TurnLimits.DEFAULT;

    private TurnsBlock() {}

    static TurnLimits read(Fields document) {
        Fields block = document.nested("turns").orElseGet(Blocks::empty);
        var limits = new TurnLimits(
                Blocks.number(block, "max_steps", 1, MOST_STEPS, STAND_IN.maxSteps()),
                Duration.ofMinutes(Blocks.number(block, "max_minutes", 1, A_DAY_IN_MINUTES, (int)
                        STAND_IN.maxTime().toMinutes())),
                Blocks.number(block, "max_concurrent", 1, MOST_CONCURRENT, STAND_IN.maxConcurrent()),
                STAND_IN.maxPerCaller());
        block.close();
        return limits;
    }
}
