package hermit.access.http;

import hermit.access.Caller;
import hermit.api.IssuedToken;
import hermit.exec.Uuids;
import hermit.http.Pages;
import hermit.http.Reply;
import hermit.http.Request;
import hermit.http.Route;
import hermit.http.Routes;
import hermit.identity.TokenId;
import hermit.identity.Tokens;
import hermit.identity.UserId;
import hermit.identity.http.UserJson;
import hermit.problem.GatewayException.Forbidden;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Tokens: the admin's for everybody, and people's own.
public final class TokenRoutes implements Routes {
    private static final String ALL = "/api/tokens";

    private final Tokens tokens;

    public TokenRoutes(Tokens tokens) {
        this.tokens = tokens;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get(ALL, this::list).withQuery("limit", "cursor"),
                Route.post(ALL, this::issue),
                Route.delete(ALL + "/{token_id}", this::revoke));
    }

    private Reply list(Request request) {
        var page = request.query().page(key -> Uuids.parse(key).isPresent());
        return Pages.reply(tokens.list(whose(request), page), UserJson::token);
    }

    private Reply issue(Request request) {
        Optional<UserId> self = whose(request);
        Map<String, Object> wanted = request.body();
        boolean foreign = wanted.containsKey("channel")
                || wanted.containsKey("agent_id")
                || (wanted.containsKey("user_id")
                        && !String.valueOf(wanted.get("user_id"))
                                .equals(self.map(UserId::toString).orElse("")));
        if (self.isPresent() && foreign) throw new Forbidden("Only the admin makes tokens for others");
        var issued = tokens.issue(wanted, self, by(request));
        return Reply.created(
                ALL + "/" + issued.token().id(), new IssuedToken(issued.secret(), UserJson.token(issued.token())));
    }

    private Reply revoke(Request request) {
        tokens.revoke(TokenId.inPath(request.path("token_id")), whose(request));
        return Reply.noContent();
    }

    private static Optional<TokenId> by(Request request) {
        return request.caller() instanceof Caller.Person person ? Optional.of(person.token()) : Optional.empty();
    }

    /// Empty for the admin, who sees and makes everybody's.
    private static Optional<UserId> whose(Request request) {
        return request.caller() instanceof Caller.Admin
                ? Optional.empty()
                : request.caller().person();
    }
}
