package hermit.config;

import hermit.problem.Fields;
import java.time.Duration;

/// What the turns of agents may take.
///
/// - `maxSteps`: answers of the model in one turn.
/// - `maxTime`: of one turn, tools and people's decisions included.
/// - `maxConcurrent`: turns that run at once in this gateway; others wait.
public record TurnSettings(int maxSteps, Duration maxTime, int maxConcurrent) {
    public static final TurnSettings DEFAULT = new TurnSettings(50, Duration.ofMinutes(60), 32);

    private static final int MOST_STEPS = 1_000;
    private static final int A_DAY_IN_MINUTES = 24 * 60;
    private static final int MOST_CONCURRENT = 1_000;

    static TurnSettings read(Fields document) {
        Fields block = document.nested("turns").orElseGet(Blocks::empty);
        var settings = new TurnSettings(
                Blocks.number(block, "max_steps", 1, MOST_STEPS, DEFAULT.maxSteps),
                Duration.ofMinutes(
                        Blocks.number(block, "max_minutes", 1, A_DAY_IN_MINUTES, (int) DEFAULT.maxTime.toMinutes())),
                Blocks.number(block, "max_concurrent", 1, MOST_CONCURRENT, DEFAULT.maxConcurrent));
        block.close();
        return settings;
    }
}
