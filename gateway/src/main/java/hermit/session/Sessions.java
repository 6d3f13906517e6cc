package hermit.session;

import hermit.access.Caller;
import hermit.access.Gate;
import hermit.access.Members;
import hermit.access.Standing;
import hermit.agent.AgentId;
import hermit.identity.Identity;
import hermit.identity.Users;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.Fields;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.GatewayException.NotFound;
import hermit.session.SessionEvent.Draft;
import hermit.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// What one can do with sessions. Each call says anew who acts: see [Actor].
public final class Sessions {
    /// The characters of one message.
    public static final int LONGEST_MESSAGE = 100_000;

    /// Why a session has ended in which nothing happened for long.
    public static final String IDLE = "idle";

    private static final Set<SessionEvent.Type> MESSAGES =
            EnumSet.of(SessionEvent.Type.USER_MESSAGE, SessionEvent.Type.TEXT_FINAL);
    private static final int SWEPT_AT_ONCE = 100;

    private final SessionStore store;
    private final SessionLog log;
    private final SessionOpening opening;
    private final SessionMachines machines;
    private final SessionEnded ended;
    private final Duration idleEnd;
    private final World world;

    public Sessions(
            SessionStore store,
            SessionLog log,
            Gate gate,
            Members members,
            Users users,
            Authors authors,
            SessionMachines machines,
            SessionEnded ended,
            Duration idleEnd,
            World world) {
        this.store = store;
        this.log = log;
        this.opening = new SessionOpening(gate, members, users, authors);
        this.machines = machines;
        this.ended = ended;
        this.idleEnd = idleEnd;
        this.world = world;
    }

    /// Told when sessions have ended, so that what waited for them is settled. Must not throw.
    @FunctionalInterface
    public interface SessionEnded {
        void ended();
    }

    public record Opened(Session session, boolean created) {}

    /// A session and who acts in it now. `sender`: whom a channel has said that it speaks for.
    public record Entered(Session session, Actor actor, Optional<Identity> sender) {}

    /// From the document `{session_id?, source?, sender?, metadata?}`: a new session, or an earlier one
    /// again. What the client tells of itself replaces what it told before, unless it is somebody else's
    /// session.
    public Opened open(Caller caller, Standing agent, Map<String, Object> document) {
        var fields = Fields.of(document);
        var opener = opening.opener(caller, agent, fields);
        var about = About.read(fields);
        var id = fields.text("session_id");
        fields.finish();
        Optional<Session> earlier = id.map(text -> SessionId.parse(text)
                .flatMap(each -> store.find(agent.agentUid(), each))
                .orElseThrow(Sessions::noSuchSession));
        Actor actor = opening.settle(opener);
        Opened opened = earlier.isPresent()
                ? resume(caller, actor, earlier.get(), about)
                : new Opened(create(actor, opener.via(), about), true);
        machines.opened(agent.agentUid(), agent.agentId());
        return opened;
    }

    /// `sender`: whom a channel says that it speaks for; nobody else may say that. Throws [NotFound] for a
    /// session that is not there and for one that is not theirs.
    public Entered enter(Caller caller, Standing agent, String sessionId, Optional<Identity> sender) {
        Optional<Actor> own = opening.actor(caller, agent);
        Session session = SessionId.parse(sessionId)
                .flatMap(id -> store.find(agent.agentUid(), id))
                .orElseThrow(Sessions::noSuchSession);
        Actor actor = caller instanceof Caller.Channel channel
                ? opening.actor(channel, agent, session, sender)
                : own.orElseThrow(Sessions::noSuchSession);
        if (!actor.sees(session)) throw noSuchSession();
        if (sender.isPresent() && !(caller instanceof Caller.Channel)) throw SessionOpening.onlyChannels();
        return new Entered(session, actor, sender);
    }

    /// Who has said something in a session goes on acting in it, as they stand now: by themselves, or
    /// through whatever answers them. Throws [NotFound] if the session is gone or not theirs any more, and
    /// as for a stranger if they may not talk to the agent any more.
    public Entered enterAgain(Author author, AgentId agent, UUID agentUid, SessionId id) {
        Actor actor = opening.actor(author, agent);
        Session session = store.find(agentUid, id).orElseThrow(Sessions::noSuchSession);
        if (!actor.agent().agentUid().equals(agentUid) || !actor.sees(session)) throw noSuchSession();
        return new Entered(session, actor, Optional.empty());
    }

    /// Their own, or all where they may see them; of a channel all that it has opened, or those of whom it
    /// says that it speaks for. Newest first.
    public Page<Session> list(Caller caller, Standing agent, Optional<Identity> sender, PageRequest page) {
        if (caller instanceof Caller.Channel channel) {
            Optional<Author> author = sender.map(each -> opening.author(channel, agent, each));
            return store.list(agent.agentUid(), new SessionStore.Scope(author, Optional.of(channel.name())), page);
        }
        Actor actor = opening.actor(caller, agent).orElseThrow(() -> Gate.stranger(agent));
        if (sender.isPresent()) throw SessionOpening.onlyChannels();
        var scope = actor.seesAll()
                ? SessionStore.Scope.ALL
                : new SessionStore.Scope(Optional.of(actor.author()), Optional.empty());
        return store.list(agent.agentUid(), scope, page);
    }

    /// Ends it. One that has ended stays as it is.
    public Session end(Entered entered) {
        end(
                entered.session(),
                "requested",
                Optional.empty(),
                Optional.of(entered.actor().author()));
        return store.find(entered.session().id()).orElseThrow(Sessions::noSuchSession);
    }

    /// Ends it, and forgets all that was said in it.
    public void delete(Entered entered) {
        Session session = entered.session();
        end(session, "deleted", Optional.empty(), Optional.of(entered.actor().author()));
        if (!store.delete(session.id(), world.now())) throw noSuchSession();
        log.gone(session.id());
        ended.ended();
    }

    /// What somebody says. `more`: what else is to be known of it.
    public static Draft said(Entered entered, String text, Map<String, Object> more) {
        var data = new LinkedHashMap<String, Object>();
        data.put("author", entered.actor().author().name());
        data.put("text", text);
        data.putAll(more);
        return new Draft(SessionEvent.Type.USER_MESSAGE, data);
    }

    /// The `text` of a message; mistakes are left in `fields`.
    public static String message(Fields fields) {
        String text = fields.required("text", fields.text("text"), "");
        if (fields.has("text") && (text.isBlank() || text.length() > LONGEST_MESSAGE))
            fields.mistake("text", "must have 1 to %d characters".formatted(LONGEST_MESSAGE));
        return text;
    }

    /// Says something in an open session. Throws [Conflict] if it has ended.
    public SessionEvent append(Entered entered, Draft draft) {
        return log.append(entered.session().id(), true, draft).stream()
                .findFirst()
                .orElseThrow(() -> new Conflict("The session has ended; open it again first"));
    }

    /// What was said, oldest first; the page's key is the event's number.
    public Page<SessionEvent> messages(Entered entered, PageRequest page) {
        long after = page.after().map(Sessions::seq).orElse(0L);
        var found = store.events(entered.session().id(), after, MESSAGES, page.limit() + 1);
        return Page.of(found, page.limit(), event -> Long.toString(event.seq()));
    }

    /// The session and its actor as they are now. Throws unless the caller may still see it.
    public Entered stillSees(Caller caller, Entered entered) {
        Standing now = opening.standing(caller, entered.actor().agent().agentId());
        return enter(caller, now, entered.session().id().toString(), entered.sender());
    }

    /// Follows a session from behind an event. The caller closes it, and asks [#stillSees] at each
    /// [SessionLog.Next.Recheck].
    public SessionLog.Follower follow(Session session, long after) {
        return log.follow(session.id(), after);
    }

    /// Ends sessions in which nothing has happened for long. Called now and then.
    public void endSilent() {
        Instant since = world.now().minus(idleEnd);
        for (Session session : store.silent(since, SWEPT_AT_ONCE))
            end(session, IDLE, Optional.of(since), Optional.empty());
    }

    /// The number of an event, as it stands in a cursor or in `Last-Event-ID`.
    public static long seq(String text) {
        // 18 digits fit a long, whatever they are.
        if (!text.matches("[0-9]{1,18}")) throw new Invalid("Last-Event-ID", "is not the number of an event");
        return Long.parseLong(text);
    }

    private Session create(Actor actor, Optional<Session.Via> via, About about) {
        Instant now = world.now();
        var session = new Session(
                new SessionId(world.newId()),
                actor.agent().agentUid(),
                actor.author(),
                via,
                about.source().orElse(Map.of()),
                about.metadata().orElse(Map.of()),
                0,
                now,
                now,
                Optional.empty());
        store.add(session);
        return session;
    }

    private Opened resume(Caller caller, Actor actor, Session session, About about) {
        boolean channelMay = !(caller instanceof Caller.Channel channel)
                || session.channel().filter(channel.name()::equals).isPresent();
        if (!channelMay || !actor.sees(session)) throw noSuchSession();
        if (session.owner().equals(actor.author()) && about.saysSomething())
            store.describe(
                    session.id(),
                    about.source().orElse(session.source()),
                    about.metadata().orElse(session.metadata()));
        if (store.reopen(session.id(), world.now())) notice(session, "reopened", Optional.of(actor.author()));
        return new Opened(store.find(session.id()).orElseThrow(Sessions::noSuchSession), false);
    }

    private void end(Session session, String reason, Optional<Instant> silentSince, Optional<Author> by) {
        if (!store.end(session.id(), new Session.End(world.now(), reason), silentSince)) return;
        notice(session, "ended", by);
        ended.ended();
        machines.ended(session.agentUid());
    }

    private void notice(Session session, String what, Optional<Author> by) {
        log.append(
                session.id(),
                false,
                new Draft(
                        SessionEvent.Type.NOTICE,
                        by.<Map<String, Object>>map(author -> Map.of("notice", what, "author", author.name()))
                                .orElse(Map.of("notice", what))));
    }

    private static NotFound noSuchSession() {
        return new NotFound("No such session");
    }

    /// What a client tells of itself and of the conversation.
    private record About(Optional<Map<String, Object>> source, Optional<Map<String, Object>> metadata) {
        private static final int LONGEST_WORD = 64;
        private static final int MOST_METADATA = 32;
        private static final int LONGEST_VALUE = 1_000;

        static About read(Fields fields) {
            var source = fields.object("source");
            source.ifPresent(_ -> fields.nested("source").ifPresent(About::checkSource));
            var metadata = fields.object("metadata").filter(map -> fits(fields, map));
            return new About(source, metadata);
        }

        boolean saysSomething() {
            return source.isPresent() || metadata.isPresent();
        }

        private static void checkSource(Fields source) {
            for (String key : List.of("kind", "platform"))
                source.text(key)
                        .filter(word -> word.isBlank() || word.length() > LONGEST_WORD)
                        .ifPresent(_ -> source.mistake(key, "must have 1 to %d characters".formatted(LONGEST_WORD)));
            source.bool("interactive");
            source.close();
        }

        private static boolean fits(Fields fields, Map<String, Object> metadata) {
            boolean fits = metadata.size() <= MOST_METADATA
                    && metadata.entrySet().stream()
                            .allMatch(each -> each.getKey().length() <= LONGEST_WORD
                                    && each.getValue() instanceof String value
                                    && value.length() <= LONGEST_VALUE
                                    && value.indexOf('\0') < 0
                                    && each.getKey().indexOf('\0') < 0);
            if (!fits)
                fields.mistake(
                        "metadata",
                        "must have at most %d keys of up to %d characters, with texts of up to %d"
                                .formatted(MOST_METADATA, LONGEST_WORD, LONGEST_VALUE));
            return fits;
        }
    }
}
