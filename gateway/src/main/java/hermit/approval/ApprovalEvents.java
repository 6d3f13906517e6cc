package hermit.approval;

import hermit.approval.Approval.Settlement;
import hermit.session.SessionEvent;
import hermit.session.SessionEvent.Draft;
import java.util.LinkedHashMap;
import java.util.Map;

/// What a session's log says of approvals. It is written in the transaction that changes the approval.
public final class ApprovalEvents {
    private ApprovalEvents() {}

    /// Somebody has to be asked.
    public static Draft required(Approval asked) {
        var data = about(asked);
        data.put("tool", asked.tool());
        data.put("author", asked.requester().name());
        data.put("call", asked.summary());
        data.put("expires_at", asked.expiresAt().toString());
        return new Draft(SessionEvent.Type.APPROVAL_REQUIRED, data);
    }

    /// It is not pending any more.
    public static Draft decided(Approval settled) {
        Settlement how = settled.settlement().orElseThrow();
        var data = about(settled);
        data.put("state", settled.state().toString());
        data.put("author", how.by());
        how.reason().ifPresent(reason -> data.put("reason", reason));
        return new Draft(SessionEvent.Type.APPROVAL_DECIDED, data);
    }

    private static Map<String, Object> about(Approval approval) {
        var data = new LinkedHashMap<String, Object>();
        data.put("approval_id", approval.id().toString());
        data.put("call_id", approval.callId().toString());
        return data;
    }
}
