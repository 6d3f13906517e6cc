package hermit.http;

import hermit.access.RoutePolicy;
import hermit.access.Standing;
import hermit.http.Authenticator.Identified;
import hermit.http.RunningRequests.Running;
import java.util.Optional;

/// What every call of one route goes through, whichever way it comes: whether its caller may, whether it has the right
/// form, the handler, and that it is recorded.
final class RouteCall {
    private static final String AGENT = "/api/agents/{id}";

    private final Route route;
    private final RoutePolicy policy;
    private final Shared shared;

    RouteCall(Route route, RoutePolicy policy, Shared shared) {
        this.route = route;
        this.policy = policy;
        this.shared = shared;
    }

    Route route() {
        return route;
    }

    Account account(Incoming incoming) {
        return new Account(shared.observer(), route, incoming.id(), incoming.address(), incoming.path());
    }

    /// The handler's reply, by what right it was given, and what was recorded of it.
    record Done(Reply reply, Right right, AnsweredRequest recorded) {}

    /// Throws a [hermit.problem.GatewayException] where it is refused; telling the account of that is left to whoever
    /// answers.
    Done run(Identified who, Incoming incoming, Running running, Account account) throws InterruptedException {
        account.by(who.caller());
        var right = new Right(policy, who, agent(incoming), route.reads());
        Optional<Standing> standing = shared.rights().check(right);
        account.admitted(standing);
        running.by(right);
        var query = incoming.query(route.query());
        if (route.bodyLimit() == 0) incoming.requireNoBody();
        if (route.query().contains("path")) query.text("path").ifPresent(file -> account.note("path", file));
        if (mayStream(incoming)) running.reserveStream(who.caller());
        var request = new Request(
                route,
                incoming,
                who,
                standing,
                query,
                account,
                () -> InnerCalls.over(shared, who, incoming),
                () -> running.reserveStream(who.caller()));
        Reply reply = route.handler().handle(request);
        return new Done(reply, right, account.succeeded(status(reply), location(reply)));
    }

    private boolean mayStream(Incoming incoming) {
        return switch (route.streaming()) {
            case NEVER, WHEN_RESERVED -> false;
            case WHEN_ASKED -> incoming.wantsEvents();
            case ALWAYS -> true;
        };
    }

    /// The agent in the path, as it is written there.
    private Optional<String> agent(Incoming incoming) {
        return route.path().startsWith(AGENT) ? Optional.of(incoming.pathParameter("id")) : Optional.empty();
    }

    private static int status(Reply reply) {
        return switch (reply) {
            case Reply.Json json -> json.status();
            case Reply.Text _, Reply.Bytes _, Reply.Lines _, Reply.Events _ -> 200;
            case Reply.NoContent nothing -> nothing.status();
            case Reply.Upgrade _ -> 101;
            case Reply.Download download -> download.status();
            case Reply.NoSuchRange _ -> 416;
        };
    }

    private static Optional<String> location(Reply reply) {
        return reply instanceof Reply.Json json
                ? Optional.ofNullable(json.headers().get("Location"))
                : Optional.empty();
    }
}
