package hermit.turn;

import java.time.Duration;

/// What one turn may take, and the gateway for all of them.
///
/// - `maxSteps`: answers of the model in one turn.
/// - `maxTime`: from the turn's beginning to its end, tools and people's decisions included.
/// - `maxConcurrent`: turns that run at once in this gateway; others wait.
public record TurnLimits(int maxSteps, Duration maxTime, int maxConcurrent) {
    public static final TurnLimits DEFAULT = new TurnLimits(50, Duration.ofMinutes(60), 32);
}
