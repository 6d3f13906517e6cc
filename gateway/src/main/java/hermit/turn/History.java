package hermit.turn;

import hermit.turn.TurnStore.Exchange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.UUID;

/// What was said in a session, as a model is shown it. Every message has an answer in it and every call a
/// result, also where the gateway went away in between: models want it so, and are told what is not known.
final class History {
    private History() {}

    static List<Message> of(List<Exchange> exchanges) {
        var messages = new ArrayList<Message>();
        for (Exchange each : exchanges) {
            messages.add(new Message.User(each.text()));
            each.steps().forEach(step -> add(step, messages));
            if (!(messages.getLast() instanceof Message.Assistant))
                messages.add(new Message.Assistant(unanswered(each), List.of()));
        }
        return messages;
    }

    private static void add(Step step, List<Message> messages) {
        if (step.text().isEmpty() && step.calls().isEmpty()) return;
        messages.add(new Message.Assistant(step.text(), step.calls()));
        if (!step.calls().isEmpty()) messages.add(new Message.Results(results(step)));
    }

    /// One for each call, in their order.
    static List<CallResult> results(Step step) {
        var known = new HashMap<UUID, CallResult>();
        step.results().forEach(each -> known.put(each.call(), each));
        return step.calls().stream()
                .map(call -> known.getOrDefault(call.id(), unknown(call)))
                .toList();
    }

    static CallResult unknown(WantedCall call) {
        return unknown(call, "The gateway went away while this was under way");
    }

    /// `why`: what has happened to it, as the beginning of a sentence.
    static CallResult unknown(WantedCall call, String why) {
        return CallResult.failure(
                call,
                "unknown",
                "%s, and it is not known what became of it. If it was a command that had begun, exec_status with exec_id %s knows more."
                        .formatted(why, call.exec()));
    }

    private static String unanswered(Exchange exchange) {
        return exchange.end()
                .map(end -> "(No answer: this turn ended as %s.)".formatted(end.reason()))
                .orElse("(No answer.)");
    }
}
