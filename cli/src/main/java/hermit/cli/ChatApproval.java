package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClientException;
import hermit.api.GatewayClientException.Refused;
import hermit.api.JsonTree;
import hermit.cli.ChatScreen.Typed;
import java.util.Locale;
import java.util.Optional;

/// A call that waits for a decision, shown whole and answered in place by whoever may; others learn who can.
final class ChatApproval {
    enum Outcome {
        /// Decided, or left to others.
        ANSWERED,
        INTERRUPTED,
        LEFT
    }

    private static final String QUESTION = "Let it run?  y once · s in this session · a always · n no › ";
    private static final String WHY = "Why not? It is told to whoever asked › ";

    private final CliContext cli;
    private final ChatSession session;
    private final ChatScreen screen;
    private final ChatLog log;

    ChatApproval(CliContext cli, ChatSession session, ChatScreen screen, ChatLog log) {
        this.cli = cli;
        this.session = session;
        this.screen = screen;
        this.log = log;
    }

    /// Asks until there is an answer that the gateway takes, or none is needed any more.
    Outcome ask(String id) throws CliFailure {
        Optional<JsonNode> waits = log.waiting(id);
        if (waits.isEmpty()) return Outcome.ANSWERED;
        try {
            if (!session.mayDecide(cli, id)) {
                screen.line("%s\nAn owner of agent '%s' or the admin decides: hermit approvals approve %s"
                        .formatted(
                                ApprovalText.what(waits.get().path("call")),
                                Output.printable(session.agent()),
                                Output.printable(id)));
                return Outcome.ANSWERED;
            }
            screen.line(ApprovalText.details(session.approval(id)).stripTrailing());
        } catch (GatewayClientException e) {
            screen.line("! " + Output.printable(String.valueOf(e.getMessage())));
            return Outcome.ANSWERED;
        }
        // What was typed before the question was to be seen does not answer it.
        screen.forgetTyped();
        while (true) {
            switch (screen.read(QUESTION)) {
                case Typed.Left _ -> {
                    return Outcome.LEFT;
                }
                case Typed.Interrupted _ -> {
                    return Outcome.INTERRUPTED;
                }
                case Typed.Line(String answer) -> {
                    if (log.waiting(id).isEmpty()) {
                        screen.line(screen.dim("It has been settled meanwhile"));
                        return Outcome.ANSWERED;
                    }
                    Optional<ObjectNode> decision = decision(answer.strip().toLowerCase(Locale.ROOT));
                    if (decision.isPresent() && sent(id, decision.get())) return Outcome.ANSWERED;
                }
            }
        }
    }

    /// Empty unless it is one of the answers.
    private Optional<ObjectNode> decision(String answer) {
        return switch (answer) {
            case "y", "yes", "once" -> Optional.of(approve("once"));
            case "s", "session" -> Optional.of(approve("session"));
            case "a", "always" -> Optional.of(approve("always"));
            case "n", "no" -> denial();
            default -> Optional.empty();
        };
    }

    private static ObjectNode approve(String remember) {
        return JsonTree.object().put("decision", "approve").put("remember", remember);
    }

    /// With a reason, if one is given. Who does not finish it is asked again.
    private Optional<ObjectNode> denial() {
        if (!(screen.read(WHY) instanceof Typed.Line(String reason))) return Optional.empty();
        ObjectNode decision = JsonTree.object().put("decision", "deny");
        if (!reason.isBlank()) decision.put("reason", reason.strip());
        return Optional.of(decision);
    }

    /// Whether nothing more is to be asked.
    private boolean sent(String id, ObjectNode decision) {
        try {
            session.decide(id, decision);
            return true;
        } catch (GatewayClientException e) {
            screen.line("! " + Output.printable(String.valueOf(e.getMessage())));
            // It may be taken with another answer: not every command can be remembered.
            return !(e instanceof Refused refused) || (refused.status() != 400 && refused.status() != 422);
        }
    }
}
