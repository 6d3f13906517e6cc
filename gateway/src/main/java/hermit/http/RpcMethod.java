package hermit.http;

import hermit.problem.FieldError;
import hermit.problem.GatewayException.Invalid;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A method of JSON-RPC: another name for a route, whose rules are all that counts.
///
/// - `route`: as in `GET /api/agents/{id}`.
/// - `path`: the method's parameters that stand in the route's path, and what they are called there.
/// - `query`: those that are the route's query.
/// - `body`: where the others go.
/// - `kind`: how it is answered.
public record RpcMethod(String name, String route, Map<String, String> path, Set<String> query, Body body, Kind kind) {
    /// More than any id, and nothing that fills records.
    private static final int LONGEST_IN_PATH = 200;

    /// What becomes of the parameters that are neither of the path nor of the query.
    public sealed interface Body {
        /// There are none.
        record Nothing() implements Body {}

        /// They are the body, but for those that this method does not take, and why.
        record Others(Map<String, String> refused) implements Body {
            public Others {
                refused = Map.copyOf(refused);
            }
        }

        /// One of them is the body.
        record Member(String name) implements Body {}
    }

    public enum Kind {
        /// Before the next message is read.
        AT_ONCE,
        /// When it is done, which may take long; others are answered meanwhile.
        LATER,
        /// With events, until it is unsubscribed.
        FOLLOWED
    }

    public RpcMethod {
        path = Map.copyOf(path);
        query = Set.copyOf(query);
    }

    public static RpcMethod of(String name, String route) {
        return new RpcMethod(name, route, Map.of(), Set.of(), new Body.Nothing(), Kind.AT_ONCE);
    }

    public RpcMethod withPath(String parameter, String inPath) {
        var more = new LinkedHashMap<>(path);
        more.put(parameter, inPath);
        return new RpcMethod(name, route, more, query, body, kind);
    }

    public RpcMethod withQuery(String... parameters) {
        return new RpcMethod(name, route, path, Set.of(parameters), body, kind);
    }

    public RpcMethod withBody() {
        return withBodyBut(Map.of());
    }

    /// `refused`: parameters that the route takes and this method does not, and why.
    public RpcMethod withBodyBut(Map<String, String> refused) {
        return new RpcMethod(name, route, path, query, new Body.Others(refused), kind);
    }

    public RpcMethod withBodyIn(String parameter) {
        return new RpcMethod(name, route, path, query, new Body.Member(parameter), kind);
    }

    public RpcMethod answered(Kind when) {
        return new RpcMethod(name, route, path, query, body, when);
    }

    /// A call with these parameters. `fixed`: what is known of the route's path by the connection. Throws [Invalid].
    InnerCalls.Wanted wanted(Map<String, Object> params, Map<String, String> fixed) {
        var errors = new ArrayList<FieldError>();
        var inPath = new LinkedHashMap<>(fixed);
        path.forEach((parameter, name) -> {
            if (params.get(parameter) instanceof String text && text.length() <= LONGEST_IN_PATH)
                inPath.put(name, text);
            else if (params.containsKey(parameter))
                errors.add(new FieldError(
                        parameter, "must be a text of at most %d characters".formatted(LONGEST_IN_PATH)));
            else errors.add(new FieldError(parameter, "is required"));
        });
        var inQuery = new LinkedHashMap<String, String>();
        var document = new LinkedHashMap<String, Object>();
        params.forEach((parameter, value) -> {
            if (path.containsKey(parameter)) return;
            if (query.contains(parameter))
                scalar(parameter, value, errors).ifPresent(text -> inQuery.put(parameter, text));
            else place(parameter, value, document, errors);
        });
        if (!errors.isEmpty()) throw new Invalid(errors);
        return new InnerCalls.Wanted(route, inPath, inQuery, document);
    }

    private void place(String parameter, Object value, Map<String, Object> document, List<FieldError> errors) {
        switch (body) {
            case Body.Nothing _ -> errors.add(new FieldError(shown(parameter), "unknown parameter"));
            case Body.Others(var refused) -> {
                if (refused.containsKey(parameter)) errors.add(new FieldError(parameter, refused.get(parameter)));
                else document.put(parameter, value);
            }
            case Body.Member(String name) -> {
                if (!name.equals(parameter)) errors.add(new FieldError(shown(parameter), "unknown parameter"));
                else if (value instanceof Map<?, ?> map)
                    map.forEach((key, each) -> document.put(String.valueOf(key), each));
                else errors.add(new FieldError(name, "must be an object"));
            }
        }
    }

    private static Optional<String> scalar(String parameter, Object value, List<FieldError> errors) {
        if (value instanceof String || value instanceof Long || value instanceof Boolean)
            return Optional.of(String.valueOf(value));
        errors.add(new FieldError(parameter, "must be a text, a whole number, true or false"));
        return Optional.empty();
    }

    private static String shown(String name) {
        return name.length() <= 80 ? name : name.substring(0, 80) + "…";
    }
}
