package hermit.turn;

import hermit.session.SessionEvent;
import hermit.session.SessionEvent.Draft;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/// What a session's log says of turns. Each event names its turn.
final class TurnEvents {
    /// Who has written an answer. People and programs have other names.
    private static final String AUTHOR = "assistant";

    private TurnEvents() {}

    static Draft started(Turn turn, String model) {
        return notice(turn.id(), "turn_started", Map.of("message_id", turn.messageSeq(), "model", model));
    }

    /// A piece of an answer. What came with an earlier attempt at the same step counts no more.
    static Draft delta(TurnId turn, int step, int attempt, String text) {
        return draft(SessionEvent.Type.TEXT_DELTA, turn, Map.of("step", step, "attempt", attempt, "text", text));
    }

    /// The whole text of a step. `partial`: it broke off there.
    static Draft said(TurnId turn, int step, String text, boolean partial) {
        var data = new LinkedHashMap<String, Object>();
        data.put("author", AUTHOR);
        data.put("step", step);
        data.put("text", text);
        if (partial) data.put("partial", true);
        return draft(SessionEvent.Type.TEXT_FINAL, turn, data);
    }

    static Draft retry(TurnId turn, int step, int attempt, Duration wait, String detail) {
        return notice(
                turn,
                "model_retry",
                Map.of("step", step, "attempt", attempt, "wait_ms", wait.toMillis(), "detail", detail));
    }

    static Draft compacted(TurnId turn, int step, Compaction.Fitted fitted) {
        return notice(
                turn, "compacted", Map.of("step", step, "shortened", fitted.shortened(), "left_out", fitted.leftOut()));
    }

    static Draft outputCut(TurnId turn, int step) {
        return notice(turn, "output_cut", Map.of("step", step));
    }

    static Draft error(TurnId turn, String code, String detail) {
        return draft(SessionEvent.Type.ERROR, turn, Map.of("code", code, "detail", detail));
    }

    /// The last event of a turn.
    static Draft ended(Turn turn, Turn.End end, int steps, Usage usage) {
        var data = new LinkedHashMap<String, Object>();
        data.put("message_id", turn.messageSeq());
        data.put("reason", end.reason().toString());
        end.detail().ifPresent(detail -> data.put("detail", detail));
        data.put("steps", steps);
        data.put("usage", Map.of("input_tokens", usage.input(), "output_tokens", usage.output()));
        turn.startedAt()
                .ifPresent(from ->
                        data.put("duration_ms", Duration.between(from, end.at()).toMillis()));
        return draft(SessionEvent.Type.TURN_END, turn.id(), data);
    }

    private static Draft notice(TurnId turn, String notice, Map<String, Object> more) {
        var data = new LinkedHashMap<String, Object>();
        data.put("notice", notice);
        data.putAll(more);
        return draft(SessionEvent.Type.NOTICE, turn, data);
    }

    private static Draft draft(SessionEvent.Type type, TurnId turn, Map<String, Object> more) {
        var data = new LinkedHashMap<String, Object>();
        data.put("turn_id", turn.toString());
        data.putAll(more);
        return new Draft(type, data);
    }
}
