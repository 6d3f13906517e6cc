package hermit.mcp;

import hermit.access.Caller;
import hermit.access.Standing;
import hermit.problem.GatewayException.Forbidden;
import hermit.problem.GatewayException.NotFound;
import hermit.session.Session;
import hermit.session.SessionLog;
import hermit.session.Sessions;
import hermit.session.Sessions.Entered;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// The sessions of MCP clients. Each is a session like any other, and all that is known of a client is kept in it: so a
/// client goes on after the gateway has restarted, and at another gateway with the same database.
public final class McpSessions {
    private static final int LONGEST_WORD = 64;
    private static final int LONGEST_VALUE = 200;

    private final Sessions sessions;

    public McpSessions(Sessions sessions) {
        this.sessions = sessions;
    }

    /// What a client tells of itself. Information only.
    public record Client(String name, String version) {}

    /// A new session for a client. Throws [Forbidden] for a channel: nothing in the protocol says for whom it would
    /// speak.
    public Session open(Caller caller, Standing agent, Client client) {
        if (caller instanceof Caller.Channel)
            throw new Forbidden("A channel's token speaks for people, which MCP cannot express; use the session API");
        var source = new LinkedHashMap<String, Object>();
        source.put("kind", "mcp");
        cut(client.name(), LONGEST_WORD).ifPresent(name -> source.put("platform", name));
        var metadata = new LinkedHashMap<String, Object>();
        cut(client.version(), LONGEST_VALUE).ifPresent(version -> metadata.put("client_version", version));
        return sessions.open(caller, agent, Map.of("source", source, "metadata", metadata))
                .session();
    }

    /// The session and who acts in it now. One that has ended because nothing happened in it is opened again; one that
    /// somebody has ended is not there any more. Throws [NotFound].
    public Entered enter(Caller caller, Standing agent, String id) {
        Entered entered = look(caller, agent, id);
        if (entered.session().isOpen()) return entered;
        sessions.open(caller, agent, Map.of("session_id", id));
        return sessions.enter(caller, agent, id, Optional.empty());
    }

    /// The same, for whoever does nothing in it: one that has ended as idle sleeps on, and so do its machines.
    public Entered look(Caller caller, Standing agent, String id) {
        return unended(sessions.enter(caller, agent, id, Optional.empty()));
    }

    /// Follows what happens in the session from now on. The caller closes it, and asks [#still] at each recheck.
    public SessionLog.Follower follow(Entered entered) {
        return sessions.follow(entered.session(), entered.session().lastSeq());
    }

    public void end(Entered entered) {
        sessions.end(entered);
    }

    /// The session and its actor as they are now. Throws if the caller may not see it any more, and [NotFound] if
    /// somebody has ended it.
    public Entered still(Caller caller, Entered entered) {
        return unended(sessions.stillSees(caller, entered));
    }

    private static Entered unended(Entered entered) {
        Optional<Session.End> end = entered.session().end();
        if (end.filter(each -> !each.reason().equals(Sessions.IDLE)).isPresent())
            throw new NotFound("This session has ended");
        return entered;
    }

    private static Optional<String> cut(String text, int longest) {
        String clean = text.replace("\0", "").strip();
        if (clean.isEmpty()) return Optional.empty();
        if (clean.length() <= longest) return Optional.of(clean);
        boolean splits = Character.isHighSurrogate(clean.charAt(longest - 1));
        return Optional.of(clean.substring(0, splits ? longest - 1 : longest));
    }
}
