package hermit.turn.http;

import hermit.http.EventStream;
import hermit.http.EventStream.Event;
import hermit.http.Reply;
import hermit.http.Request;
import hermit.http.Route;
import hermit.http.Route.Streaming;
import hermit.http.Routes;
import hermit.problem.Fields;
import hermit.problem.GatewayException.NotFound;
import hermit.session.SessionEvent;
import hermit.session.SessionLog;
import hermit.session.Sessions;
import hermit.session.Sessions.Entered;
import hermit.session.http.SessionCall;
import hermit.session.http.SessionJson;
import hermit.turn.Turn;
import hermit.turn.TurnId;
import hermit.turn.Turns;
import hermit.turn.Turns.Posted;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Saying something in a session, and learning what is answered: later, at once, or as it comes.
public final class TurnRoutes implements Routes {
    private static final String SESSION = "/api/agents/{id}/sessions/{sid}";

    /// Of one who waits and does not say for how long. Proxies give up after about a minute.
    private static final long WAIT_MS = 60_000;

    private static final long MAX_WAIT_MS = 600_000;

    private final Sessions sessions;
    private final Turns turns;

    public TurnRoutes(Sessions sessions, Turns turns) {
        this.sessions = sessions;
        this.turns = turns;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.post(SESSION + "/messages", this::post).withEvents(Streaming.WHEN_ASKED),
                Route.get(SESSION + "/turns/{turn_id}", this::get)
                        .withQuery("wait_ms", SessionCall.CHANNEL, SessionCall.CHANNEL_USER_ID),
                Route.get("/api/models", this::models));
    }

    private Reply post(Request request) throws InterruptedException {
        var call = SessionCall.withDocument(sessions, request);
        var wanted = Wanted.read(call.document(), request.wantsEvents());
        Entered entered = call.entered();
        if (wanted.answer()) turns.requireModel(entered);
        Posted posted = turns.post(entered, wanted.text());
        if (!wanted.answer()) return new Reply.Json(201, SessionJson.event(posted.message()), Map.of());
        TurnId turn = posted.turn().orElseThrow();
        if (wanted.patience().isPresent())
            return waited(request, entered, turn, wanted.patience().get());
        return new Reply.Events(
                stream -> follow(stream, request, entered, posted.message().seq(), turn), () -> {});
    }

    private Reply get(Request request) throws InterruptedException {
        Entered entered = SessionCall.of(sessions, request).entered();
        TurnId turn = TurnId.parse(request.path("turn_id")).orElseThrow(() -> new NotFound("No such turn"));
        long wait = request.query().integer("wait_ms", 0, MAX_WAIT_MS).orElse(0L);
        if (wait > 0) return Reply.ok(TurnJson.of(await(request, entered, turn, Duration.ofMillis(wait))));
        return Reply.ok(TurnJson.of(turns.get(entered.session().id(), turn)));
    }

    private Reply models(Request request) {
        return Reply.ok(TurnJson.of(turns.models()));
    }

    private Reply waited(Request request, Entered entered, TurnId turn, Duration patience) throws InterruptedException {
        var answered = await(request, entered, turn, patience);
        var json = TurnJson.of(answered);
        if (answered.turn().state() == Turn.State.ENDED) return Reply.ok(json);
        return Reply.accepted(
                "/api/agents/%s/sessions/%s/turns/%s"
                        .formatted(
                                entered.actor().agent().agentId(),
                                entered.session().id(),
                                turn),
                json);
    }

    /// Who has waited may have lost the right to see the answer meanwhile.
    private Turns.Answered await(Request request, Entered entered, TurnId turn, Duration patience)
            throws InterruptedException {
        var answered = turns.await(entered.session().id(), turn, patience);
        sessions.stillSees(request.caller(), entered);
        return answered;
    }

    /// From the message to the end of the turn that answers it.
    private void follow(EventStream stream, Request request, Entered entered, long message, TurnId turn)
            throws InterruptedException {
        try (var follower = sessions.follow(entered.session(), message - 1)) {
            while (true) {
                switch (follower.next()) {
                    case SessionLog.Next.Events(var events) -> {
                        for (SessionEvent each : events) {
                            stream.send(Event.of(
                                    Long.toString(each.seq()), each.type().toString(), SessionJson.event(each)));
                            if (ends(each, turn)) return;
                        }
                    }
                    case SessionLog.Next.Recheck _ -> sessions.stillSees(request.caller(), entered);
                    case SessionLog.Next.Gone _ -> {
                        return;
                    }
                }
            }
        }
    }

    private static boolean ends(SessionEvent event, TurnId turn) {
        return event.type() == SessionEvent.Type.TURN_END
                && turn.toString().equals(event.data().get("turn_id"));
    }

    /// What a message's body asks for.
    ///
    /// - `answer`: whether the answer is waited for; with `patience`, or as it comes.
    private record Wanted(String text, boolean answer, Optional<Duration> patience) {
        static Wanted read(Map<String, Object> document, boolean events) {
            var fields = Fields.of(document);
            String text = Sessions.message(fields);
            Optional<Long> millis = fields.integer("wait_ms", 1, MAX_WAIT_MS);
            boolean wait = fields.bool("wait").orElse(millis.isPresent());
            if (!wait && millis.isPresent()) fields.mistake("wait_ms", "is for those who wait");
            if (wait && events)
                fields.mistake(millis.isPresent() ? "wait_ms" : "wait", "is not for those who ask for events");
            fields.finish();
            Optional<Duration> patience =
                    wait ? Optional.of(Duration.ofMillis(millis.orElse(WAIT_MS))) : Optional.empty();
            return new Wanted(text, wait || events, patience);
        }
    }
}
