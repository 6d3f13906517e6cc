package hermit.session.http;

import hermit.access.Caller;
import hermit.http.Request;
import hermit.identity.Identity;
import hermit.problem.Fields;
import hermit.session.Sessions;
import hermit.session.Sessions.Entered;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// A request in a session of its path: who acts in it, and what else it says. A channel may say at each for whom it
/// speaks: in the document, where the route takes one, and else in the query.
///
/// - `document`: without the sender.
public record SessionCall(Entered entered, Map<String, Object> document) {
    /// In the query.
    public static final String CHANNEL = "channel";

    /// In the query.
    public static final String CHANNEL_USER_ID = "channel_user_id";

    private static final String SENDER = "sender";

    /// Of a route without a document.
    public static SessionCall of(Sessions sessions, Request request) {
        return enter(sessions, request, sender(request), Map.of());
    }

    /// Of a route with one.
    public static SessionCall withDocument(Sessions sessions, Request request) {
        // Who speaks for themselves learns whether the session is theirs before their document is looked at.
        Optional<SessionCall> theirOwn = request.caller() instanceof Caller.Channel
                ? Optional.empty()
                : Optional.of(enter(sessions, request, Optional.empty(), Map.of()));
        var document = new LinkedHashMap<>(request.body());
        var given = new LinkedHashMap<String, Object>();
        if (document.containsKey(SENDER)) given.put(SENDER, document.remove(SENDER));
        var fields = Fields.of(given);
        Optional<Identity> sender = fields.nested(SENDER).map(each -> {
            Identity identity = Identity.read(each);
            each.close();
            return identity;
        });
        fields.finish();
        return theirOwn.filter(_ -> sender.isEmpty())
                .map(own -> new SessionCall(own.entered, document))
                .orElseGet(() -> enter(sessions, request, sender, document));
    }

    /// Whom the query says that a channel speaks for.
    static Optional<Identity> sender(Request request) {
        var given = new LinkedHashMap<String, Object>();
        for (String each : new String[] {CHANNEL, CHANNEL_USER_ID})
            request.query().text(each).ifPresent(value -> given.put(each, value));
        if (given.isEmpty()) return Optional.empty();
        var fields = Fields.of(given);
        Identity identity = Identity.read(fields);
        fields.finish();
        return Optional.of(identity);
    }

    private static SessionCall enter(
            Sessions sessions, Request request, Optional<Identity> sender, Map<String, Object> document) {
        var entered = sessions.enter(request.caller(), request.standing(), request.path("sid"), sender);
        if (request.caller() instanceof Caller.Channel)
            request.note("author", entered.actor().author().name());
        return new SessionCall(entered, document);
    }
}
