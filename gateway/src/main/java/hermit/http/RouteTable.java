package hermit.http;

import java.util.HashMap;
import java.util.Map;

/// All routes of a server, by what they are called, as in `GET /api/agents/{id}`. Filled before the server listens.
final class RouteTable {
    private final Map<String, RouteCall> calls = new HashMap<>();

    /// Throws [IllegalArgumentException] for a route that is there already.
    void add(RouteCall call) {
        if (calls.putIfAbsent(call.route().toString(), call) != null)
            throw new IllegalArgumentException("there are two routes " + call.route());
    }

    /// Throws [IllegalArgumentException] if there is none.
    RouteCall get(String route) {
        RouteCall call = calls.get(route);
        if (call == null) throw new IllegalArgumentException("there is no route " + route);
        return call;
    }
}
