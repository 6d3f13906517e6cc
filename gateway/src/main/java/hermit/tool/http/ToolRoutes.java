package hermit.tool.http;

import hermit.api.CancelledSession;
import hermit.api.ToolAnswer;
import hermit.approval.Approval;
import hermit.approval.Approval.Settlement;
import hermit.exec.ExecId;
import hermit.http.Reply;
import hermit.http.Request;
import hermit.http.Route;
import hermit.http.Routes;
import hermit.session.Sessions;
import hermit.session.http.SessionCall;
import hermit.tool.Cancellation;
import hermit.tool.Tool;
import hermit.tool.Tools;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Calling tools in a session, and cancelling what they have begun.
public final class ToolRoutes implements Routes {
    private static final String SESSION = "/api/agents/{id}/sessions/{sid}";

    /// A file's content or a command, with each character escaped.
    private static final int BODY_LIMIT = 8 << 20;

    private final Sessions sessions;
    private final Tools tools;
    private final Cancellation cancellation;

    public ToolRoutes(Sessions sessions, Tools tools, Cancellation cancellation) {
        this.sessions = sessions;
        this.tools = tools;
        this.cancellation = cancellation;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.post(SESSION + "/tools/{tool}", this::call).withBodyLimit(BODY_LIMIT),
                Route.post(SESSION + "/cancel", this::cancel)
                        .withoutBody()
                        .withQuery(SessionCall.CHANNEL, SessionCall.CHANNEL_USER_ID));
    }

    private Reply call(Request request) throws InterruptedException {
        var call = SessionCall.withDocument(sessions, request);
        Tool tool = Tool.inPath(request.path("tool"));
        return switch (tools.call(call.entered(), tool, call.document())) {
            case Tools.Answer.Done(UUID callId, Map<String, Object> result) ->
                Reply.ok(new ToolAnswer(
                        callId,
                        tool.toString(),
                        Approval.State.DONE.toString(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(result)));
            case Tools.Answer.Asked(UUID callId, Approval approval) -> asked(callId, approval);
        };
    }

    private Reply cancel(Request request) {
        var cancelled = cancellation.cancel(SessionCall.of(sessions, request).entered());
        return Reply.ok(new CancelledSession(
                cancelled.commands().stream().map(ExecId::value).toList(),
                cancelled.approvals().stream().map(each -> each.id().value()).toList(),
                cancelled.turns()));
    }

    private static Reply asked(UUID callId, Approval approval) {
        var answer = new ToolAnswer(
                callId,
                approval.tool(),
                approval.state().toString(),
                Optional.of(approval.id().value()),
                approval.settlement().flatMap(Settlement::reason),
                approval.result());
        return approval.state().isFinal()
                ? Reply.ok(answer)
                : Reply.accepted("/api/approvals/" + approval.id(), answer);
    }
}
