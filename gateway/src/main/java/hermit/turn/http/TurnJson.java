package hermit.turn.http;

import hermit.api.Models;
import hermit.api.TokenUsage;
import hermit.turn.ModelInfo;
import hermit.turn.Turn;
import hermit.turn.Turns.Answered;
import java.util.LinkedHashMap;
import java.util.List;

/// Turns and models as they travel.
final class TurnJson {
    private TurnJson() {}

    static hermit.api.Turn of(Answered answered) {
        Turn turn = answered.turn();
        return new hermit.api.Turn(
                turn.id().value(),
                turn.messageSeq(),
                turn.author().name(),
                turn.state().toString(),
                turn.end().map(end -> end.reason().toString()),
                turn.end().flatMap(Turn.End::detail),
                answered.text(),
                turn.steps(),
                new TokenUsage(turn.usage().input(), turn.usage().output()),
                turn.createdAt(),
                turn.startedAt(),
                turn.end().map(Turn.End::at));
    }

    static Models of(List<ModelInfo> models) {
        var byName = new LinkedHashMap<String, Models.Model>();
        for (ModelInfo each : models)
            byName.put(
                    each.name(),
                    new Models.Model(each.provider(), each.model(), each.contextTokens(), each.maxOutputTokens()));
        return new Models(byName);
    }
}
