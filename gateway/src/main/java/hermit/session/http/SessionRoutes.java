package hermit.session.http;

import static hermit.session.http.SessionCall.CHANNEL;
import static hermit.session.http.SessionCall.CHANNEL_USER_ID;

import hermit.access.Caller;
import hermit.exec.Uuids;
import hermit.http.EventStream;
import hermit.http.EventStream.Event;
import hermit.http.Pages;
import hermit.http.Reply;
import hermit.http.Request;
import hermit.http.Route;
import hermit.http.Route.Streaming;
import hermit.http.Routes;
import hermit.http.RpcSocket;
import hermit.session.SessionLog;
import hermit.session.Sessions;
import hermit.session.Sessions.Entered;
import java.util.List;
import java.util.Map;

/// Conversations: opened, listed, ended, and followed. Speaking in one is a matter of whoever answers.
public final class SessionRoutes implements Routes {
    private static final String ALL = "/api/agents/{id}/sessions";
    private static final String ONE = ALL + "/{sid}";

    private final Sessions sessions;

    public SessionRoutes(Sessions sessions) {
        this.sessions = sessions;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get(ALL, this::list).withQuery("limit", "cursor", CHANNEL, CHANNEL_USER_ID),
                Route.post(ALL, this::open),
                Route.get(ONE, this::get).withQuery(CHANNEL, CHANNEL_USER_ID),
                Route.delete(ONE, this::delete).withQuery(CHANNEL, CHANNEL_USER_ID),
                Route.post(ONE + "/end", this::end).withoutBody().withQuery(CHANNEL, CHANNEL_USER_ID),
                Route.get(ONE + "/messages", this::messages).withQuery("limit", "cursor", CHANNEL, CHANNEL_USER_ID),
                Route.get(ONE + "/events", this::events)
                        .withQuery("after", "ticket", CHANNEL, CHANNEL_USER_ID)
                        .withEvents(Streaming.ALWAYS),
                Route.socket("/api/agents/{id}/ws", this::connect).withQuery("ticket"));
    }

    private Reply list(Request request) {
        var page = request.query().page(key -> Uuids.parse(key).isPresent());
        var agent = request.standing();
        return Pages.reply(
                sessions.list(request.caller(), agent, SessionCall.sender(request), page),
                each -> SessionJson.session(agent.agentId(), each));
    }

    private Reply open(Request request) {
        var agent = request.standing();
        var opened = sessions.open(request.caller(), agent, request.body());
        if (request.caller() instanceof Caller.Channel)
            request.note("author", opened.session().owner().name());
        var json = SessionJson.session(agent.agentId(), opened.session());
        if (!opened.created()) return Reply.ok(json);
        return Reply.created(
                "/api/agents/%s/sessions/%s"
                        .formatted(agent.agentId(), opened.session().id()),
                json);
    }

    private Reply get(Request request) {
        return Reply.ok(
                SessionJson.session(request.standing().agentId(), enter(request).session()));
    }

    private Reply delete(Request request) {
        sessions.delete(enter(request));
        return Reply.noContent();
    }

    private Reply end(Request request) {
        return Reply.ok(SessionJson.session(request.standing().agentId(), sessions.end(enter(request))));
    }

    private Reply messages(Request request) {
        var page = request.query().page(key -> key.matches("[0-9]{1,18}"));
        return Pages.reply(sessions.messages(enter(request), page), SessionJson::event);
    }

    private Reply events(Request request) {
        Entered entered = enter(request);
        long after = request.header("Last-Event-ID")
                .or(() -> request.query().text("after"))
                .map(Sessions::seq)
                .orElse(0L);
        return new Reply.Events(stream -> follow(stream, request, entered, after), () -> {});
    }

    private void follow(EventStream stream, Request request, Entered entered, long after) throws InterruptedException {
        try (var follower = sessions.follow(entered.session(), after)) {
            while (true) {
                switch (follower.next()) {
                    case SessionLog.Next.Events(var events) ->
                        events.forEach(each -> stream.send(
                                Event.of(Long.toString(each.seq()), each.type().toString(), SessionJson.event(each))));
                    case SessionLog.Next.Recheck _ -> sessions.stillSees(request.caller(), entered);
                    case SessionLog.Next.Gone _ -> {
                        return;
                    }
                }
            }
        }
    }

    private Reply connect(Request request) {
        return new Reply.Upgrade(new RpcSocket(SessionMethods.ALL, request.calls(), Map.of("id", request.path("id"))));
    }

    private Entered enter(Request request) {
        return SessionCall.of(sessions, request).entered();
    }
}
