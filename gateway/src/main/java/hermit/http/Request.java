package hermit.http;

import hermit.access.Caller;
import hermit.access.Standing;
import hermit.problem.Fields;
import io.javalin.http.Context;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// A request that was let in, as a route's handler sees it.
public final class Request {
    private final Route route;
    private final Context context;
    private final Caller caller;
    private final Optional<Standing> standing;
    private final Query query;
    private final Transfer transfer;
    private final ClientAddresses addresses;
    private final Account account;
    private Optional<Map<String, Object>> body = Optional.empty();

    Request(
            Route route,
            Context context,
            Caller caller,
            Optional<Standing> standing,
            Query query,
            Transfer transfer,
            ClientAddresses addresses,
            Account account) {
        this.route = route;
        this.context = context;
        this.caller = caller;
        this.standing = standing;
        this.query = query;
        this.transfer = transfer;
        this.addresses = addresses;
        this.account = account;
    }

    public Caller caller() {
        return caller;
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
        return addresses.of(context.req());
    }

    /// Whether the request came by TLS, if need be to a trusted proxy.
    public boolean isSecure() {
        return addresses.isSecure(context.req());
    }

    /// The cookie of a browser that has logged in.
    public Optional<String> login() {
        return Optional.ofNullable(context.cookie(Authenticator.LOGIN_COOKIE));
    }

    /// A parameter of the path's template, decoded.
    public String path(String name) {
        return context.pathParam(name);
    }

    public Query query() {
        return query;
    }

    public Optional<String> header(String name) {
        return Optional.ofNullable(context.header(name));
    }

    /// The body's JSON object, read at the first call. Throws a [hermit.problem.GatewayException] for
    /// anything else.
    public Map<String, Object> body() {
        if (body.isEmpty()) body = Optional.of(Bodies.object(context.req(), route.bodyLimit()));
        return body.get();
    }

    /// The body of a route [Route#withUpload], to be read once.
    public Upload upload() {
        if (route.bodyLimit() != Route.UPLOAD) throw new IllegalStateException(route + " takes no upload");
        return transfer.upload();
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
        return wantsEvents(context);
    }

    static boolean wantsEvents(Context context) {
        for (String each : header(context, "Accept").split(",", -1)) {
            String[] parts = each.strip().toLowerCase(Locale.ROOT).split(" *; *", -1);
            if (!parts[0].equals("text/event-stream")) continue;
            for (String part : parts) if (part.matches("q=0(\\.0*)?")) return false;
            return true;
        }
        return false;
    }

    private static String header(Context context, String name) {
        return Optional.ofNullable(context.header(name)).orElse("");
    }
}
