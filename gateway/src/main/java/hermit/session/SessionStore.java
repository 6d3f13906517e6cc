package hermit.session;

import hermit.exec.ExecId;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// How sessions are kept. Each call is one transaction. A deleted session is never found, and its events
/// are gone.
public interface SessionStore {
    /// Throws [hermit.problem.GatewayException.NotFound] if the agent is not live (any more).
    void add(Session session);

    Optional<Session> find(UUID agentUid, SessionId id);

    /// A session of any agent.
    Optional<Session> find(SessionId id);

    /// Newest first; the page's key is the id.
    Page<Session> list(UUID agentUid, Scope scope, PageRequest page);

    /// Which of an agent's sessions. Both empty: all.
    record Scope(Optional<Author> owner, Optional<String> channel) {
        public static final Scope ALL = new Scope(Optional.empty(), Optional.empty());
    }

    /// Opens an ended session again; false if it is open, or not there.
    boolean reopen(SessionId id, Instant now);

    /// Notes what its own client tells of itself.
    void describe(SessionId id, Map<String, Object> source, Map<String, Object> metadata);

    /// Ends an open session; false if it has ended already, or is not there. With `silentSince`, only if
    /// nothing has happened in it from then on, and nobody answers in it.
    boolean end(SessionId id, Session.End end, Optional<Instant> silentSince);

    /// Open sessions of live agents in which nothing has happened since then, and where nobody answers; at
    /// most `limit`.
    List<Session> silent(Instant since, int limit);

    /// False if it is not there.
    boolean delete(SessionId id, Instant now);

    /// Whether the agent has an open session.
    boolean hasOpen(UUID agentUid);

    /// Adds events to the end of the log, which counts as activity. Empty if the session is not there or,
    /// where it must be open, has ended.
    List<SessionEvent> append(SessionId id, List<SessionEvent.Draft> drafts, boolean mustBeOpen, Instant now);

    /// Events after that one, in order, of these types; at most `limit`.
    List<SessionEvent> events(SessionId id, long after, Set<SessionEvent.Type> types, int limit);

    /// The number of the newest event of each of these sessions that is there.
    Map<SessionId, Long> lastSeqs(Set<SessionId> ids);

    /// Notes that a command belongs to a session, before it is started.
    void addExec(SessionId id, ExecId exec);

    boolean hasExec(SessionId id, ExecId exec);

    /// Notes for each command of a session that has not ended that it is to end, and for `begun`, which may not have
    /// been noted yet. Those that run, and for which nobody had asked before.
    List<ExecId> cancelExecs(SessionId id, Set<ExecId> begun, Instant now);

    /// Notes for these commands of a session alone that they are to end or, without a row yet, must not
    /// begin.
    void cancelThese(SessionId id, Set<ExecId> these, Instant now);

    /// Whether a command of a session is to end, or must not begin.
    boolean isCancelled(ExecId exec);
}
