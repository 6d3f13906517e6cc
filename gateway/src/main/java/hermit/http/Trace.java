package hermit.http;

import jakarta.servlet.http.HttpServletRequest;
import java.util.regex.Pattern;
import org.eclipse.jetty.server.Request;

/// What is known of one request from its first byte to its end: its id, and which route took it.
final class Trace {
    static final String HEADER = "X-Request-Id";

    private static final String ATTRIBUTE = Trace.class.getName();
    /// What a client may choose as an id: it ends up in logs and headers.
    private static final Pattern SAFE = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private final String id;
    private final Runnable closeConnection;
    private volatile String route = "none";
    private volatile boolean stream;

    private Trace(String id, Runnable closeConnection) {
        this.id = id;
        this.closeConnection = closeConnection;
    }

    /// Begins the trace of a request, with the client's own id if it is a short safe word.
    static Trace begin(Request request, String freshId) {
        String given = request.getHeaders().get(HEADER);
        String id = given != null && SAFE.matcher(given).matches() ? given : freshId;
        var trace = new Trace(
                id,
                () -> request.getConnectionMetaData()
                        .getConnection()
                        .getEndPoint()
                        .close());
        request.setAttribute(ATTRIBUTE, trace);
        return trace;
    }

    static Trace of(HttpServletRequest request) {
        if (request.getAttribute(ATTRIBUTE) instanceof Trace trace) return trace;
        throw new IllegalStateException("a request got past the edge");
    }

    String id() {
        return id;
    }

    /// The template of the route that took it, or `none`.
    String route() {
        return route;
    }

    void takenBy(Route taker) {
        route = taker.path();
    }

    /// Closes the connection at once, in the middle of whatever it carries. Who waits for the client wakes up.
    void closeConnection() {
        closeConnection.run();
    }

    /// Whether it carried a stream, of events or of a file, whose length says nothing about how fast the gateway is.
    boolean isStream() {
        return stream;
    }

    void becameStream() {
        stream = true;
    }
}
