package hermit.session.http;

import static hermit.session.http.SessionCall.CHANNEL;
import static hermit.session.http.SessionCall.CHANNEL_USER_ID;

import hermit.http.RpcMethod;
import hermit.http.RpcMethod.Kind;
import java.util.List;
import java.util.Map;

/// The routes of sessions, as methods of JSON-RPC. Each is the route: nothing is decided here.
public final class SessionMethods {
    private static final String SESSIONS = "/api/agents/{id}/sessions";
    private static final String SESSION = SESSIONS + "/{sid}";

    private static final String WAITING = "would hold up this connection: messages.ask takes it";

    public static final List<RpcMethod> ALL = List.of(
            RpcMethod.of("sessions.open", "POST " + SESSIONS).withBody(),
            RpcMethod.of("sessions.list", "GET " + SESSIONS).withQuery("limit", "cursor", CHANNEL, CHANNEL_USER_ID),
            inSession("sessions.get", "GET " + SESSION).withQuery(CHANNEL, CHANNEL_USER_ID),
            inSession("sessions.end", "POST " + SESSION + "/end").withQuery(CHANNEL, CHANNEL_USER_ID),
            inSession("sessions.delete", "DELETE " + SESSION).withQuery(CHANNEL, CHANNEL_USER_ID),
            inSession("sessions.cancel", "POST " + SESSION + "/cancel").withQuery(CHANNEL, CHANNEL_USER_ID),
            inSession("messages.list", "GET " + SESSION + "/messages")
                    .withQuery("limit", "cursor", CHANNEL, CHANNEL_USER_ID),
            // Answered in their order, which nobody may hold up.
            inSession("messages.post", "POST " + SESSION + "/messages")
                    .withBodyBut(Map.of("wait", WAITING, "wait_ms", WAITING)),
            // The same for who waits for the answer.
            inSession("messages.ask", "POST " + SESSION + "/messages")
                    .withBody()
                    .answered(Kind.LATER),
            inSession("turns.get", "GET " + SESSION + "/turns/{turn_id}")
                    .withPath("turn_id", "turn_id")
                    .withQuery("wait_ms", CHANNEL, CHANNEL_USER_ID)
                    .answered(Kind.LATER),
            inSession("tools.call", "POST " + SESSION + "/tools/{tool}")
                    .withPath("tool", "tool")
                    .withBodyIn("arguments")
                    .answered(Kind.LATER),
            inSession("events.subscribe", "GET " + SESSION + "/events")
                    .withQuery("after", CHANNEL, CHANNEL_USER_ID)
                    .answered(Kind.FOLLOWED));

    private SessionMethods() {}

    private static RpcMethod inSession(String name, String route) {
        return RpcMethod.of(name, route).withPath("session_id", "sid");
    }
}
