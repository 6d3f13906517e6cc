package hermit.session.http;

import hermit.http.RpcMethod;
import hermit.http.RpcMethod.Kind;
import java.util.List;

/// The routes of sessions, as methods of JSON-RPC. Each is the route: nothing is decided here.
public final class SessionMethods {
    private static final String SESSIONS = "/api/agents/{id}/sessions";
    private static final String SESSION = SESSIONS + "/{sid}";

    public static final List<RpcMethod> ALL = List.of(
            RpcMethod.of("sessions.open", "POST " + SESSIONS).withBody(),
            RpcMethod.of("sessions.list", "GET " + SESSIONS).withQuery("limit", "cursor"),
            inSession("sessions.get", "GET " + SESSION),
            inSession("sessions.end", "POST " + SESSION + "/end"),
            inSession("sessions.delete", "DELETE " + SESSION),
            inSession("sessions.cancel", "POST " + SESSION + "/cancel"),
            inSession("messages.list", "GET " + SESSION + "/messages").withQuery("limit", "cursor"),
            inSession("messages.post", "POST " + SESSION + "/messages").withBody(),
            inSession("tools.call", "POST " + SESSION + "/tools/{tool}")
                    .withPath("tool", "tool")
                    .withBodyIn("arguments")
                    .answered(Kind.LATER),
            inSession("events.subscribe", "GET " + SESSION + "/events")
                    .withQuery("after")
                    .answered(Kind.FOLLOWED));

    private SessionMethods() {}

    private static RpcMethod inSession(String name, String route) {
        return RpcMethod.of(name, route).withPath("session_id", "sid");
    }
}
