package hermit.http;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What a call of a route brings with it, whichever way it comes: as a request of its own, or over a connection that
/// carries many. Texts are the client's, and may be anything.
interface Incoming {
    /// Names it in logs, records and the answer.
    String id();

    /// What is asked for, percent-encoded.
    String path();

    /// A parameter of the route's path, decoded.
    String pathParameter(String name);

    /// Throws [hermit.problem.GatewayException.Invalid] for a parameter that is not known.
    Query query(Set<String> known);

    Optional<String> header(String name);

    /// The cookie of a browser that has logged in.
    Optional<String> login();

    /// Whether it asks for `text/event-stream`.
    boolean wantsEvents();

    /// Throws a [hermit.problem.GatewayException] if there is more than an empty object.
    void requireNoBody();

    /// The body's JSON object, of at most so many bytes. Throws a [hermit.problem.GatewayException] for anything else.
    Map<String, Object> body(int limit);

    Upload upload();

    /// Where the caller is: the connection's other end, or whom a trusted proxy names.
    String address();

    /// Whether it came by TLS, if need be to a trusted proxy.
    boolean isSecure();
}
