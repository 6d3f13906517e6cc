package hermit.http;

import io.javalin.http.Context;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A request of HTTP.
record HttpIncoming(Context context, Trace trace, Transfer transfer, ClientAddresses addresses) implements Incoming {
    @Override
    public String id() {
        return trace.id();
    }

    @Override
    public String path() {
        return context.path();
    }

    @Override
    public String pathParameter(String name) {
        return context.pathParam(name);
    }

    @Override
    public Query query(Set<String> known) {
        return Query.parse(context.queryString(), known);
    }

    @Override
    public Optional<String> header(String name) {
        return Optional.ofNullable(context.header(name));
    }

    @Override
    public Optional<String> login() {
        return Optional.ofNullable(context.cookie(Authenticator.LOGIN_COOKIE));
    }

    @Override
    public boolean wantsEvents() {
        for (String each : header("Accept").orElse("").split(",", -1)) {
            String[] parts = each.strip().toLowerCase(Locale.ROOT).split(" *; *", -1);
            if (!parts[0].equals("text/event-stream")) continue;
            for (String part : parts) if (part.matches("q=0(\\.0*)?")) return false;
            return true;
        }
        return false;
    }

    @Override
    public void requireNoBody() {
        Bodies.none(context.req());
    }

    @Override
    public Map<String, Object> body(int limit) {
        return Bodies.object(context.req(), limit);
    }

    @Override
    public Upload upload() {
        return transfer.upload();
    }

    @Override
    public String address() {
        return addresses.of(context.req());
    }

    @Override
    public boolean isSecure() {
        return addresses.isSecure(context.req());
    }
}
