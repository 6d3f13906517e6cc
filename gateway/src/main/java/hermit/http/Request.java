package hermit.http;

import hermit.access.Caller;
import hermit.access.Standing;
import hermit.http.Authenticator.Identified;
import hermit.problem.Fields;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/// A request that was let in, as a route's handler sees it.
public final class Request {
    private final Route route;
    private final Incoming incoming;
    private final Identified who;
    private final Optional<Standing> standing;
    private final Query query;
    private final Account account;
    private final Supplier<InnerCalls> calls;
    private final Runnable reservation;
    private Optional<Map<String, Object>> body = Optional.empty();

    Request(
            Route route,
            Incoming incoming,
            Identified who,
            Optional<Standing> standing,
            Query query,
            Account account,
            Supplier<InnerCalls> calls,
            Runnable reservation) {
        this.route = route;
        this.incoming = incoming;
        this.who = who;
        this.standing = standing;
        this.query = query;
        this.account = account;
        this.calls = calls;
        this.reservation = reservation;
    }

    public Caller caller() {
        return who.caller();
    }

    /// The caller, and by what they are known.
    public Identified who() {
        return who;
    }

    /// Tells records who it turned out to be, e.g. by what a login showed.
    public void isBy(Caller known) {
        account.by(known);
    }

    /// Tells records which agent it is about, where that is not the one in the path.
    public void isAbout(UUID agentUid) {
        account.about(agentUid);
    }

    /// Tells records something small that the path does not say. Never a secret.
    public void note(String name, String value) {
        account.note(name, value);
    }

    /// How the caller stands to the agent in the path. Only for routes whose policy asks for that.
    public Standing standing() {
        return standing.orElseThrow(() -> new IllegalStateException("the policy of " + route + " knows no agent"));
    }

    /// Where the caller is: the connection's other end, or whom a trusted proxy names.
    public String address() {
        return incoming.address();
    }

    /// Whether the request came by TLS, if need be to a trusted proxy.
    public boolean isSecure() {
        return incoming.isSecure();
    }

    /// The cookie of a browser that has logged in.
    public Optional<String> login() {
        return incoming.login();
    }

    /// A parameter of the path's template, decoded.
    public String path(String name) {
        return incoming.pathParameter(name);
    }

    public Query query() {
        return query;
    }

    public Optional<String> header(String name) {
        return incoming.header(name);
    }

    /// The body's JSON object, read at the first call. Throws a [hermit.problem.GatewayException] for
    /// anything else.
    public Map<String, Object> body() {
        if (body.isEmpty()) body = Optional.of(incoming.body(route.bodyLimit()));
        return body.get();
    }

    /// The body of a route [Route#withUpload], to be read once.
    public Upload upload() {
        if (route.bodyLimit() != Route.UPLOAD) throw new IllegalStateException(route + " takes no upload");
        return incoming.upload();
    }

    public Fields fields() {
        return Fields.of(body());
    }

    /// Hex digest of what the body says: neither spaces nor the order of keys make a difference.
    public String bodySha256() {
        return BodyDigest.of(body());
    }

    /// Whether the client asks for `text/event-stream`.
    public boolean wantsEvents() {
        return incoming.wantsEvents();
    }

    /// Of a route [Route.Streaming#WHEN_RESERVED]: the answer will be events. Called once, before anything is done.
    /// Throws [hermit.problem.GatewayException.RateLimited] if there are as many streams as there may be.
    public void reserveStream() {
        if (route.streaming() != Route.Streaming.WHEN_RESERVED)
            throw new IllegalStateException(route + " does not choose whether to stream");
        reservation.run();
    }

    /// For what this request opens: calls of other routes over it, by the same caller.
    public InnerCalls calls() {
        return calls.get();
    }
}
