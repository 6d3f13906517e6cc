package hermit.access.http;

import hermit.access.Caller;
import hermit.http.AdminToken;
import hermit.http.Authenticator;
import hermit.http.Bearer;
import hermit.http.FailedLogins;
import hermit.identity.Login;
import hermit.identity.Logins;
import hermit.identity.Token;
import hermit.identity.TokenHolder;
import hermit.identity.TokenId;
import hermit.identity.Tokens;
import hermit.problem.GatewayException.Forbidden;
import hermit.problem.GatewayException.Unauthenticated;
import java.util.Optional;

/// Knows callers by the admin token, by the tokens that were given out, by the cookie of a login and by
/// tickets. A wrong token or ticket is an error, also where another credential would do.
public final class Callers implements Authenticator {
    private final AdminToken admin;
    private final Tokens tokens;
    private final Logins logins;
    private final FailedLogins failedLogins;

    public Callers(AdminToken admin, Tokens tokens, Logins logins, FailedLogins failedLogins) {
        this.admin = admin;
        this.tokens = tokens;
        this.logins = logins;
        this.failedLogins = failedLogins;
    }

    @Override
    public Identified authenticate(Credentials credentials) {
        if (credentials.authorization().isPresent()) {
            String secret = Bearer.token(credentials.authorization().get());
            return Identified.of(known(secret, credentials.address()).caller());
        }
        if (credentials.ticket().isPresent()) {
            failedLogins.check(credentials.address());
            return logins.take(credentials.ticket().get(), credentials.path())
                    .flatMap(this::identified)
                    .orElseThrow(() -> wrong(credentials.address(), "The ticket is not valid (any more)"));
        }
        if (credentials.login().isEmpty()) return Identified.of(new Caller.Anonymous());
        // A cookie comes by itself, whoever made the browser send the request.
        if (credentials.changes() && !(credentials.fromPage() && credentials.marked()))
            throw new Forbidden("A request with a cookie that changes something needs the headers Origin and " + MARK);
        // A browser goes on sending the cookie of a login that has ended, also where it logs in again.
        return identified(logins.known(credentials.login().get()))
                .orElseGet(() -> Identified.of(new Caller.Anonymous()));
    }

    @Override
    public boolean stillKnows(Identified who) {
        if (who.login().isPresent())
            return identified(new Login.OfBrowser(who.login().get())).equals(Optional.of(who));
        return switch (who.caller()) {
            case Caller.Anonymous _, Caller.Admin _ -> true;
            case Caller.Person person -> tokens.find(person.token()).isPresent();
            case Caller.Channel channel -> tokens.find(channel.token()).isPresent();
            case Caller.Program program -> tokens.find(program.token()).isPresent();
        };
    }

    /// Whoever has this secret, and what a login by it would stand for. Throws
    /// [hermit.problem.GatewayException.Unauthenticated] for a wrong one, and
    /// [hermit.problem.GatewayException.RateLimited] for too many from one address.
    Known known(String secret, String address) {
        failedLogins.check(address);
        if (admin.is(secret)) return new Known(new Caller.Admin(), new Login.OfAdmin(admin.digest()));
        return tokens.find(secret)
                .map(token -> new Known(caller(token), new Login.ByToken(token.id())))
                .orElseThrow(() -> wrong(address, "The token is not valid"));
    }

    record Known(Caller caller, Login.Holder holder) {}

    /// What a ticket for a caller who has come in would stand for: the login by which they came, or their token.
    Optional<Login> login(Identified who) {
        if (who.login().isPresent()) return who.login().map(Login.OfBrowser::new);
        return switch (who.caller()) {
            case Caller.Anonymous _ -> Optional.empty();
            case Caller.Admin _ -> Optional.of(new Login.OfAdmin(admin.digest()));
            case Caller.Person person -> Optional.of(new Login.ByToken(person.token()));
            case Caller.Channel channel -> Optional.of(new Login.ByToken(channel.token()));
            case Caller.Program program -> Optional.of(new Login.ByToken(program.token()));
        };
    }

    private Unauthenticated wrong(String address, String detail) {
        failedLogins.failed(address);
        return new Unauthenticated(detail);
    }

    private Optional<Identified> identified(Login login) {
        return switch (login) {
            case Login.Holder holder -> caller(holder).map(Identified::of);
            case Login.OfBrowser browser ->
                logins.holder(browser)
                        .flatMap(this::caller)
                        .map(caller -> new Identified(caller, Optional.of(browser.sha256())));
        };
    }

    private Optional<Caller> caller(Login.Holder holder) {
        return switch (holder) {
            case Login.ByToken(TokenId id) -> tokens.find(id).map(Callers::caller);
            case Login.OfAdmin(String sha256) ->
                sha256.equals(admin.digest()) ? Optional.of(new Caller.Admin()) : Optional.empty();
        };
    }

    private static Caller caller(Token token) {
        return switch (token.holder()) {
            case TokenHolder.Person(var id) -> new Caller.Person(id, token.id(), token.scope() == Token.Scope.READ);
            case TokenHolder.Channel(var name) -> new Caller.Channel(name, token.id());
            case TokenHolder.Program(var agent) -> new Caller.Program(agent, token.id());
        };
    }
}
