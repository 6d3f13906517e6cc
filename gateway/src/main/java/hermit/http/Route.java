package hermit.http;

import java.util.Set;
import java.util.regex.Pattern;

/// One method on one path.
///
/// - `path`: a template such as `/api/agents/{id}`.
/// - `query`: the parameters that it takes; another one is a mistake of the caller.
/// - `bodyLimit`: the largest body in bytes; 0 for a route that takes none, [#UPLOAD] for one that takes any.
public record Route(
        Method method, String path, Set<String> query, int bodyLimit, Streaming streaming, Handler handler) {
    /// What a body may have unless the route says otherwise: 1 MiB.
    public static final int DEFAULT_BODY_LIMIT = 1 << 20;

    /// Instead of a limit: any number of bytes of any type, which the handler reads as they come.
    public static final int UPLOAD = -1;

    private static final Pattern TEMPLATE = Pattern.compile("/|(?:/(?:[a-z][a-z0-9._-]*|\\{[a-z_]+}))+");

    /// When a route answers with events. They are counted before the handler acts, so that the limit refuses
    /// a request and not a stream.
    public enum Streaming {
        NEVER,
        /// If the request's `Accept` names `text/event-stream`.
        WHEN_ASKED,
        /// If the handler says so, by [Request#reserveStream].
        WHEN_RESERVED,
        ALWAYS
    }

    public Route {
        query = Set.copyOf(query);
        if (!TEMPLATE.matcher(path).matches()) throw new IllegalArgumentException("not a path template: " + path);
    }

    public static Route get(String path, Handler handler) {
        return new Route(Method.GET, path, Set.of(), 0, Streaming.NEVER, handler);
    }

    public static Route post(String path, Handler handler) {
        return new Route(Method.POST, path, Set.of(), DEFAULT_BODY_LIMIT, Streaming.NEVER, handler);
    }

    public static Route put(String path, Handler handler) {
        return new Route(Method.PUT, path, Set.of(), DEFAULT_BODY_LIMIT, Streaming.NEVER, handler);
    }

    public static Route patch(String path, Handler handler) {
        return new Route(Method.PATCH, path, Set.of(), DEFAULT_BODY_LIMIT, Streaming.NEVER, handler);
    }

    public static Route delete(String path, Handler handler) {
        return new Route(Method.DELETE, path, Set.of(), 0, Streaming.NEVER, handler);
    }

    /// A GET that becomes a WebSocket. The handler decides before the handshake is answered, so that a refusal is
    /// an ordinary response.
    public static Route socket(String path, Handler handler) {
        return new Route(Method.WS, path, Set.of(), 0, Streaming.ALWAYS, handler);
    }

    public Route withQuery(String... names) {
        return new Route(method, path, Set.of(names), bodyLimit, streaming, handler);
    }

    /// Whether a page may come with a ticket: it opens sockets and event streams, where it cannot send headers.
    boolean takesTicket() {
        return streaming != Streaming.NEVER && query.contains("ticket");
    }

    /// Whether it changes nothing.
    boolean reads() {
        return method == Method.GET;
    }

    public Route withBodyLimit(int bytes) {
        return new Route(method, path, query, bytes, streaming, handler);
    }

    /// A route whose body is not JSON but a file, of any size.
    public Route withUpload() {
        return withBodyLimit(UPLOAD);
    }

    /// A route that only acts: an empty body or `{}` is all that it takes.
    public Route withoutBody() {
        return withBodyLimit(0);
    }

    public Route withEvents(Streaming when) {
        return new Route(method, path, query, bodyLimit, when, handler);
    }

    /// As in `GET /api/agents/{id}`.
    @Override
    public String toString() {
        return method + " " + path;
    }
}
