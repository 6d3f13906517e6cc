package hermit.turn;

import java.time.Duration;

/// What one turn may take, and the gateway for all of them.
///
/// - `maxSteps`: answers of the model in one turn.
/// - `maxTime`: from the turn's beginning to its end, tools and people's decisions included.
/// - `maxConcurrent`: turns that run at once in this gateway; others wait.
/// - `maxPerCaller`: turns of one author that run or wait, in all sessions, unless that is the admin.
public record TurnLimits(int maxSteps, Duration maxTime, int maxConcurrent, int maxPerCaller) {
    /// One alone does not take all that run at once.
    public static final int DEFAULT_PER_CALLER = 16;

    public static final TurnLimits DEFAULT = new TurnLimits(50, Duration.ofMinutes(60), 32, DEFAULT_PER_CALLER);

    public TurnLimits withPerCaller(int most) {
        return new TurnLimits(maxSteps, maxTime, maxConcurrent, most);
    }
}
