package hermit.turn;

import hermit.approval.Approval;
import hermit.audit.Audit;
import hermit.exec.ExecId;
import hermit.problem.GatewayException;
import hermit.session.Redaction;
import hermit.session.Sessions.Entered;
import hermit.tool.Calling;
import hermit.tool.ShownResult;
import hermit.tool.Tool;
import hermit.tool.Tools;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Single calls of models, each through the same gate as any call of a tool, and in the audit like those.
/// Whatever becomes of a call is a result that the model is told.
public final class AuditedCalls {
    private static final Logger LOG = LoggerFactory.getLogger(AuditedCalls.class);
    /// Of a tool that there may not be.
    private static final int LONGEST_NAME = 64;

    private final Tools tools;
    private final Audit audit;
    private final Redaction redaction;

    public AuditedCalls(Tools tools, Audit audit, Redaction redaction) {
        this.tools = tools;
        this.audit = audit;
        this.redaction = redaction;
    }

    /// No HTTP request tells the audit of it: it is told here, before the model hears of the result. A result that
    /// the audit does not have is kept from the model, which can look for it.
    CallResult carryOut(Entered entered, WantedCall call, Turn turn) throws InterruptedException {
        CallResult result;
        try {
            result = call(entered, call, turn);
        } catch (InterruptedException | RuntimeException e) {
            record(call, turn, "unknown");
            throw e;
        }
        boolean recorded = record(call, turn, result.code().orElse("ok"));
        if (recorded || result.failed()) return result;
        return History.unknown(call, "The gateway could not write down that this was called");
    }

    /// False if it cannot be kept, which changes nothing of what has happened.
    private boolean record(WantedCall call, Turn turn, String result) {
        String name =
                call.tool().length() <= LONGEST_NAME ? call.tool() : call.tool().substring(0, LONGEST_NAME);
        try {
            audit.record(
                    turn.author().name(),
                    "",
                    "tools.call",
                    Optional.of(turn.agentUid()),
                    "/api/agents/%s/sessions/%s/tools/%s".formatted(turn.agent(), turn.session(), redaction.text(name)),
                    result,
                    "",
                    Map.of(
                            "transport",
                            "turn",
                            "turn_id",
                            turn.id().toString(),
                            "call_id",
                            call.id().toString()));
            return true;
        } catch (GatewayException e) {
            LOG.error("call {} of turn {} is missing from the audit: {}", call.id(), turn.id(), e.detail());
            return false;
        }
    }

    private CallResult call(Entered entered, WantedCall call, Turn turn) throws InterruptedException {
        Optional<Tool> tool = Arrays.stream(Tool.values())
                .filter(each -> each.toString().equals(call.tool()))
                .findFirst();
        var mark = new Tools.Mark(
                call.id(), new ExecId(call.exec()), Map.of("turn_id", turn.id().toString()));
        try {
            if (tool.isEmpty()) throw new GatewayException.NotFound("There is no tool '%s'".formatted(call.tool()));
            if (call.unreadable().isPresent())
                throw new GatewayException.Invalid(
                        "arguments", call.unreadable().get());
            return switch (tools.call(entered, mark, tool.get(), call.arguments())) {
                case Tools.Answer.Done(UUID _, var result) -> done(call, result);
                case Tools.Answer.Asked(UUID _, Approval approval) -> decided(call, approval);
            };
        } catch (GatewayException e) {
            if (tool.isEmpty() || call.unreadable().isPresent()) tools.refused(entered, mark, call.tool(), e);
            return CallResult.failure(call, e.code().wire(), redaction.text(e.detail()));
        }
    }

    private CallResult decided(WantedCall call, Approval asked) throws InterruptedException {
        Approval approval = tools.settled(asked, Calling.PLAIN);
        Optional<Map<String, Object>> result = tools.result(approval, Calling.PLAIN);
        if (result.isPresent()) return done(call, result.get());
        String by = approval.settlement().map(Approval.Settlement::by).orElse(Approval.NOBODY);
        String reason = approval.settlement()
                .flatMap(Approval.Settlement::reason)
                .map(text -> ": " + text)
                .orElse("");
        if (approval.state() == Approval.State.UNKNOWN)
            return History.unknown(call, redaction.text("It was approved" + reason));
        String detail = switch (approval.state()) {
            case DENIED -> "A person (%s) was asked and has said no%s".formatted(by, reason);
            case EXPIRED -> "A person was asked and has not answered in time, which means no";
            default -> "It was cancelled before it was carried out" + reason;
        };
        return CallResult.failure(call, approval.state().toString(), redaction.text(detail));
    }

    private CallResult done(WantedCall call, Map<String, Object> result) {
        boolean failed = result.containsKey("error") && !result.containsKey("exec_id");
        return new CallResult(call.id(), call.tool(), ShownResult.of(call.arguments(), result), failed);
    }
}
