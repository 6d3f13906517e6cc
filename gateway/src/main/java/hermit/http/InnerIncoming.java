package hermit.http;

import hermit.problem.GatewayException.Invalid;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A call over a connection that was opened by a request of its own: it comes from where that came from,
/// and has no headers and no cookie. `follows`: whether events are to be the answer.
record InnerIncoming(
        InnerCalls.Connection connection,
        Route route,
        Map<String, String> pathParameters,
        Map<String, String> queryParameters,
        Map<String, Object> document,
        boolean follows)
        implements Incoming {
    @Override
    public String id() {
        return connection.id();
    }

    @Override
    public String path() {
        String path = route.path();
        for (var each : pathParameters.entrySet())
            path = path.replace("{" + each.getKey() + "}", encoded(each.getValue()));
        return path;
    }

    @Override
    public String pathParameter(String name) {
        String value = pathParameters.get(name);
        if (value == null) throw new IllegalStateException("%s was called without its %s".formatted(route, name));
        return value;
    }

    @Override
    public Query query(Set<String> known) {
        return Query.of(queryParameters, known);
    }

    @Override
    public Optional<String> header(String name) {
        return Optional.empty();
    }

    @Override
    public Optional<String> login() {
        return Optional.empty();
    }

    @Override
    public boolean wantsEvents() {
        return follows;
    }

    @Override
    public void requireNoBody() {
        if (!document.isEmpty()) throw new Invalid(document.keySet().iterator().next(), "unknown field");
    }

    /// Its bytes have been counted with the message that it came in.
    @Override
    public Map<String, Object> body(int limit) {
        return document;
    }

    @Override
    public Upload upload() {
        throw new IllegalStateException(route + " takes a file, which no message carries");
    }

    @Override
    public String address() {
        return connection.address();
    }

    @Override
    public boolean isSecure() {
        return connection.isSecure();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
