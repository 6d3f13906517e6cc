package hermit.config;

import hermit.problem.Fields;
import hermit.turn.TurnLimits;

/// How much of the gateway one caller may take. The admin is not limited, but for sandboxes.
///
/// - `execsPerCaller`: commands and terminals that run at once, in all sandboxes.
/// - `streamsPerCaller`: event streams and sockets that are open at once.
/// - `turnsPerCaller`: messages whose answer is under way or waits, in all sessions.
/// - `sandboxesPerAgent`: live rows.
/// - `agentsPerHour`: how many agents a person may make at once; one more after each part of an hour.
public record LimitSettings(
        int execsPerCaller, int streamsPerCaller, int turnsPerCaller, int sandboxesPerAgent, int agentsPerHour) {
    public static final LimitSettings DEFAULT = new LimitSettings(64, 100, TurnLimits.DEFAULT_PER_CALLER, 50, 60);

    private static final int MOST = 10_000;

    static LimitSettings read(Fields document) {
        Fields block = document.nested("limits").orElseGet(Blocks::empty);
        var settings = new LimitSettings(
                Blocks.number(block, "execs_per_caller", 1, MOST, DEFAULT.execsPerCaller),
                Blocks.number(block, "streams_per_caller", 1, MOST, DEFAULT.streamsPerCaller),
                Blocks.number(block, "turns_per_caller", 1, MOST, DEFAULT.turnsPerCaller),
                Blocks.number(block, "sandboxes_per_agent", 1, MOST, DEFAULT.sandboxesPerAgent),
                Blocks.number(block, "agents_per_hour", 1, MOST, DEFAULT.agentsPerHour));
        block.close();
        return settings;
    }
}
