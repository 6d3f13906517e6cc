package hermit.access.http;

import hermit.access.Caller;
import hermit.access.Gate;
import hermit.api.Me;
import hermit.api.Ticket;
import hermit.http.Reply;
import hermit.http.Request;
import hermit.http.Route;
import hermit.http.Routes;
import hermit.identity.Logins;
import hermit.identity.Users;
import hermit.identity.http.UserJson;
import hermit.problem.GatewayException.Forbidden;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Who one is, and how a browser logs in: by a token, which it gives back for a cookie that no script can read, and by
/// tickets for sockets and event streams.
public final class LoginRoutes implements Routes {
    private static final Pattern PATH = Pattern.compile("/api/[!-~&&[^?#]]{1,500}");
    private static final int LONGEST_TOKEN = 512;

    private final Callers callers;
    private final Logins logins;
    private final Users users;
    private final Gate gate;

    public LoginRoutes(Callers callers, Logins logins, Users users, Gate gate) {
        this.callers = callers;
        this.logins = logins;
        this.users = users;
        this.gate = gate;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.post("/api/auth/login", this::login),
                Route.post("/api/auth/logout", this::logout).withoutBody(),
                Route.post("/api/auth/ticket", this::ticket),
                Route.get("/api/me", this::me));
    }

    private Reply login(Request request) {
        var fields = request.fields();
        String token = fields.required("token", fields.text("token"), "");
        if (token.length() > LONGEST_TOKEN) fields.mistake("token", "is no token");
        fields.finish();
        var known = callers.known(token, request.address());
        if (!(known.caller() instanceof Caller.Admin) && known.caller().person().isEmpty())
            throw new Forbidden("Only people log in; programs send their token with each request");
        request.isBy(known.caller());
        return Reply.ok(me(known.caller()))
                .withHeader("Set-Cookie", Cookies.of(logins.begin(known.holder()), request.isSecure(), Logins.LASTS));
    }

    private Reply logout(Request request) {
        request.login().ifPresent(logins::end);
        return Reply.noContent().withHeader("Set-Cookie", Cookies.gone(request.isSecure()));
    }

    private Reply ticket(Request request) {
        var fields = request.fields();
        String path = fields.required("path", fields.text("path", PATH, "a path below /api/ without a query"), "");
        fields.finish();
        var ticket = logins.ticket(callers.login(request.who()).orElseThrow(), path);
        return Reply.created(path, new Ticket(ticket.secret(), ticket.expiresAt()));
    }

    private Reply me(Request request) {
        return Reply.ok(me(request.caller()));
    }

    private Me me(Caller caller) {
        return switch (caller) {
            case Caller.Anonymous _ -> throw new IllegalStateException("nobody asks who they are");
            case Caller.Admin _ -> me(caller, "admin", Optional.empty(), false);
            case Caller.Person person ->
                me(caller, "user", Optional.of(UserJson.user(users.get(person.id()))), person.readOnly());
            case Caller.Channel _ -> me(caller, "channel", Optional.empty(), false);
            case Caller.Program _ -> me(caller, "agent", Optional.empty(), false);
        };
    }

    private Me me(Caller caller, String kind, Optional<hermit.api.User> user, boolean readOnly) {
        return new Me(
                kind,
                caller.recordedAs(),
                user,
                caller instanceof Caller.Channel channel ? Optional.of(channel.name()) : Optional.empty(),
                caller instanceof Caller.Program program ? Optional.of(program.agentUid()) : Optional.empty(),
                readOnly,
                gate.createsAgents(caller));
    }
}
