package hermit.approval.http;

import hermit.approval.Approval;
import hermit.approval.Approval.Settlement;
import hermit.approval.ApprovalRule;
import hermit.approval.ShownText;
import hermit.exec.ExecId;
import hermit.session.SessionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Approvals and rules as they travel.
final class ApprovalJson {
    private ApprovalJson() {}

    static hermit.api.Approval approval(Approval approval) {
        return new hermit.api.Approval(
                approval.id().value(),
                approval.agentId().value(),
                approval.sessionId().value(),
                approval.callId(),
                approval.tool(),
                approval.requester().name(),
                approval.place().sandbox().value(),
                approval.place().generation(),
                approval.summary(),
                shown(approval.summary()),
                approval.state().toString(),
                approval.execId().map(ExecId::value),
                approval.createdAt(),
                approval.expiresAt(),
                approval.settlement().map(Settlement::at),
                approval.settlement().map(Settlement::by),
                approval.settlement().flatMap(Settlement::reason),
                approval.result(),
                approval.finishedAt());
    }

    static hermit.api.ApprovalRule rule(ApprovalRule rule) {
        return new hermit.api.ApprovalRule(
                rule.id().value(),
                rule.agentId().value(),
                rule.sandboxId().value(),
                rule.sessionId().map(SessionId::value),
                rule.requester().name(),
                rule.summary(),
                shown(rule.summary()),
                rule.author(),
                rule.createdAt(),
                rule.expiresAt(),
                rule.uses(),
                rule.lastUsedAt());
    }

    private static String shown(Map<String, Object> call) {
        if (call.get("argv") instanceof List<?> argv) {
            var words = new ArrayList<String>();
            for (Object each : argv) words.add('‹' + ShownText.of(String.valueOf(each)) + '›');
            return String.join(" ", words);
        }
        Object text = call.containsKey("command") ? call.get("command") : call.getOrDefault("path", "");
        return ShownText.of(String.valueOf(text));
    }
}
