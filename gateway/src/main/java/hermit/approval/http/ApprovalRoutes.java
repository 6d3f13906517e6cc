package hermit.approval.http;

import hermit.approval.Approval;
import hermit.approval.ApprovalFollower;
import hermit.approval.ApprovalId;
import hermit.approval.ApprovalRule;
import hermit.approval.ApprovalRules;
import hermit.approval.Approvals;
import hermit.approval.ApprovedRuns;
import hermit.exec.Uuids;
import hermit.http.EventStream;
import hermit.http.EventStream.Event;
import hermit.http.Pages;
import hermit.http.Reply;
import hermit.http.Request;
import hermit.http.Route;
import hermit.http.Route.Streaming;
import hermit.http.Routes;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.Invalid;
import java.util.List;
import java.util.Optional;

/// The inbox of approvals over all agents, decisions, and what has been remembered.
public final class ApprovalRoutes implements Routes {
    private static final String ALL = "/api/approvals";
    private static final String ONE = ALL + "/{approval_id}";
    private static final String RULES = "/api/approval-rules";

    private final Approvals approvals;
    private final ApprovalRules rules;
    private final ApprovedRuns runs;

    public ApprovalRoutes(Approvals approvals, ApprovalRules rules, ApprovedRuns runs) {
        this.approvals = approvals;
        this.rules = rules;
        this.runs = runs;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get(ALL, this::list).withQuery("state", "limit", "cursor"),
                Route.get("/api/agents/{id}/approvals", this::ofAgent).withQuery("state", "limit", "cursor"),
                Route.get(ALL + "/events", this::events).withQuery("ticket").withEvents(Streaming.ALWAYS),
                Route.get(ONE, this::get),
                Route.post(ONE + "/decision", this::decide),
                Route.get(RULES, this::rules).withQuery("limit", "cursor"),
                Route.delete(RULES + "/{rule_id}", this::removeRule));
    }

    private Reply list(Request request) {
        return Pages.reply(approvals.list(request.caller(), state(request), page(request)), ApprovalJson::approval);
    }

    private Reply ofAgent(Request request) {
        return Pages.reply(
                approvals.ofAgent(request.standing(), state(request), page(request)), ApprovalJson::approval);
    }

    private Reply get(Request request) {
        return Reply.ok(ApprovalJson.approval(approvals.get(request.caller(), id(request))));
    }

    private Reply decide(Request request) {
        Approval decided = approvals.decide(request.caller(), id(request), request.body());
        request.isAbout(decided.agentUid());
        request.note("decision", decided.state().toString());
        if (decided.state() == Approval.State.APPROVED) runs.sweep();
        return Reply.ok(ApprovalJson.approval(decided));
    }

    private Reply events(Request request) {
        Optional<Long> after = request.header("Last-Event-ID").map(ApprovalRoutes::revision);
        var follower = approvals.follow(request.caller(), after);
        return new Reply.Events(stream -> follow(stream, follower), () -> {});
    }

    private static void follow(EventStream stream, ApprovalFollower follower) throws InterruptedException {
        while (true) {
            var news = follower.next();
            String resume = Long.toString(follower.after());
            // A reader that comes back in the middle of a batch gets the batch again: each event says all of its
            // approval.
            for (int i = 0; i < news.size(); i++) {
                var approval = ApprovalJson.approval(news.get(i));
                boolean last = i == news.size() - 1;
                stream.send(last ? Event.of(resume, "approval", approval) : Event.of("approval", approval));
            }
        }
    }

    private Reply rules(Request request) {
        return Pages.reply(rules.list(request.caller(), page(request)), ApprovalJson::rule);
    }

    private Reply removeRule(Request request) {
        rules.remove(request.caller(), ApprovalRule.Id.inPath(request.path("rule_id")));
        return Reply.noContent();
    }

    private static PageRequest page(Request request) {
        return request.query().page(key -> Uuids.parse(key).isPresent());
    }

    private static Optional<Approval.State> state(Request request) {
        return request.query().word("state", Approval.State.class);
    }

    private static ApprovalId id(Request request) {
        return ApprovalId.inPath(request.path("approval_id"));
    }

    private static long revision(String text) {
        // 18 digits fit a long, whatever they are.
        if (!text.matches("[0-9]{1,18}")) throw new Invalid("Last-Event-ID", "was not given by this stream");
        return Long.parseLong(text);
    }
}
