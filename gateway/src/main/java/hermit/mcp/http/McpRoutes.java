package hermit.mcp.http;

import hermit.access.Caller;
import hermit.http.EventStream;
import hermit.http.EventStream.Event;
import hermit.http.Reply;
import hermit.http.Request;
import hermit.http.Route;
import hermit.http.Route.Streaming;
import hermit.http.Routes;
import hermit.mcp.McpSessions;
import hermit.problem.GatewayException.Invalid;
import hermit.session.Session;
import hermit.session.SessionEvent;
import hermit.session.SessionLog;
import hermit.session.Sessions.Entered;
import java.util.List;

/// The one address of MCP: messages are posted to it, what the gateway says by itself is heard from it, and it ends the
/// session. What is wrong with a request of HTTP is a problem as everywhere, and what is wrong with a message an error
/// of JSON-RPC.
public final class McpRoutes implements Routes {
    private static final String PATH = "/api/agents/{id}/mcp";
    private static final String SESSION = "Mcp-Session-Id";
    private static final String VERSION = "MCP-Protocol-Version";

    /// As for calls of tools: a file's content or a command, with each character escaped.
    private static final int BODY_LIMIT = 8 << 20;

    private final McpSessions sessions;
    private final McpMethods methods;

    public McpRoutes(McpSessions sessions, McpMethods methods) {
        this.sessions = sessions;
        this.methods = methods;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.post(PATH, this::post).withBodyLimit(BODY_LIMIT).withEvents(Streaming.WHEN_RESERVED),
                Route.get(PATH, this::listen).withEvents(Streaming.ALWAYS),
                Route.delete(PATH, this::end));
    }

    private Reply post(Request request) throws InterruptedException {
        // Whether the session is theirs, a client learns before its message is looked at.
        var entered = request.header(SESSION).map(id -> sessions.enter(request.caller(), request.standing(), id));
        entered.ifPresent(each -> note(request, each.session()));
        Message message = Message.read(request.body());
        methods.note(request, message);
        request.header(VERSION).ifPresent(Wire::requireKnown);
        if (message instanceof Message.Request asked && asked.method().equals(Wire.INITIALIZE))
            return initialized(request, asked);
        Entered in = entered.orElseThrow(McpRoutes::noSession);
        return switch (message) {
            case Message.Request asked -> methods.answer(request, in, asked);
            case Message.Notification said -> {
                methods.hear(in, said);
                yield Reply.taken();
            }
            case Message.Response _ -> Reply.taken();
        };
    }

    private Reply initialized(Request request, Message.Request asked) {
        try {
            return initialize(request, asked);
        } catch (Invalid e) {
            return Reply.ok(Wire.error(asked.id(), e));
        }
    }

    private Reply initialize(Request request, Message.Request asked) {
        String version = Wire.agreed(asked.params().text("protocolVersion"));
        var client = new Message.Params(asked.params().object("clientInfo"));
        Session session = sessions.open(
                request.caller(),
                request.standing(),
                new McpSessions.Client(
                        client.optionalText("name").orElse(""),
                        client.optionalText("version").orElse("")));
        note(request, session);
        return Reply.ok(Wire.response(
                        asked.id(), Wire.welcome(version, request.standing().agentId())))
                .withHeader(SESSION, session.id().toString());
    }

    private Reply listen(Request request) {
        Entered entered = look(request);
        return new Reply.Events(stream -> tell(stream, request.caller(), entered), () -> {});
    }

    /// Tells when other tools are offered, or the same ones for other sandboxes, until the client goes, or has no right
    /// to the session any more.
    private void tell(EventStream stream, Caller caller, Entered entered) throws InterruptedException {
        McpMethods.Offer offered = methods.offer(entered.actor());
        try (var follower = sessions.follow(entered)) {
            while (true) {
                switch (follower.next()) {
                    case SessionLog.Next.Events(var events) -> {
                        // Of its own calls a client is told where it makes them; but the session may have ended.
                        if (events.stream().anyMatch(each -> each.type() == SessionEvent.Type.NOTICE))
                            sessions.still(caller, entered);
                    }
                    case SessionLog.Next.Recheck _ -> {
                        McpMethods.Offer now =
                                methods.offer(sessions.still(caller, entered).actor());
                        if (!now.equals(offered)) stream.send(Event.of("message", Wire.toolsChanged()));
                        offered = now;
                    }
                    case SessionLog.Next.Gone _ -> {
                        return;
                    }
                }
            }
        }
    }

    private Reply end(Request request) {
        sessions.end(look(request));
        return Reply.noContent();
    }

    private Entered look(Request request) {
        String id = request.header(SESSION).orElseThrow(McpRoutes::noSession);
        Entered entered = sessions.look(request.caller(), request.standing(), id);
        note(request, entered.session());
        return entered;
    }

    private static void note(Request request, Session session) {
        request.note("session", session.id().toString());
    }

    private static Invalid noSession() {
        return new Invalid(SESSION, "is required: the answer to 'initialize' has it");
    }
}
