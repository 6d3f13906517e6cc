package hermit.access.http;

import hermit.access.Member;
import hermit.access.Members;
import hermit.api.OwnRole;
import hermit.http.Pages;
import hermit.http.Reply;
import hermit.http.Request;
import hermit.http.Route;
import hermit.http.Routes;
import hermit.identity.UserId;
import hermit.identity.http.UserJson;
import java.util.List;

/// Who belongs to an agent.
public final class MemberRoutes implements Routes {
    private static final String ALL = "/api/agents/{id}/members";
    private static final String ONE = ALL + "/{user_id}";

    private final Members members;

    public MemberRoutes(Members members) {
        this.members = members;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get("/api/agents/{id}/me", this::me),
                Route.get(ALL, this::list).withQuery("limit", "cursor"),
                Route.post(ALL, this::add),
                Route.put(ONE, this::change),
                Route.delete(ONE, this::remove));
    }

    /// What the caller is here: a page asks before it offers what only owners may.
    private Reply me(Request request) {
        return Reply.ok(new OwnRole(request.standing().role().orElseThrow().toString()));
    }

    private Reply list(Request request) {
        var page = request.query().page(key -> UserId.parse(key).isPresent());
        return Pages.reply(members.list(request.standing(), page), MemberRoutes::json);
    }

    private Reply add(Request request) {
        return Reply.ok(json(members.add(request.standing(), request.caller(), request.body())));
    }

    private Reply change(Request request) {
        return Reply.ok(json(members.change(request.standing(), user(request), request.body())));
    }

    private Reply remove(Request request) {
        members.remove(request.standing(), user(request));
        return Reply.noContent();
    }

    private static UserId user(Request request) {
        return UserId.inPath(request.path("user_id"));
    }

    private static hermit.api.Member json(Member member) {
        return new hermit.api.Member(UserJson.user(member.user()), member.role().toString(), member.since());
    }
}
