package hermit.turn;

import hermit.problem.GatewayException.BackendUnavailable;
import hermit.session.Author;
import hermit.session.SessionEvent;
import hermit.session.SessionEvent.Draft;
import hermit.session.SessionId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// Turns in a store that can be made to fail: when one is to begin, when anything is written of one that
/// runs, or when one is to be ended that nobody runs.
public final class SwitchedTurns implements TurnStore {
    public volatile boolean beginsNone;
    public volatile boolean isReadOnly;
    /// The id of one that cannot be ended.
    public volatile String keeps = "";

    private final TurnStore store;

    public SwitchedTurns(TurnStore store) {
        this.store = store;
    }

    @Override
    public Optional<SessionEvent> post(SessionId session, Draft message, TurnId turn, Author author, Instant now) {
        return store.post(session, message, turn, author, now);
    }

    @Override
    public Optional<Turn> find(SessionId session, TurnId id) {
        return store.find(session, id);
    }

    @Override
    public int waitingIn(SessionId session) {
        return store.waitingIn(session);
    }

    @Override
    public int undoneOf(Author author) {
        return store.undoneOf(author);
    }

    @Override
    public Optional<Turn> begin(SessionId session, Lease lease, Instant now) {
        if (beginsNone) throw new BackendUnavailable("nothing begins on purpose");
        return store.begin(session, lease, now);
    }

    @Override
    public List<SessionId> waiting(int limit) {
        return store.waiting(limit);
    }

    @Override
    public boolean say(TurnId id, Lease lease, List<Draft> drafts, Instant now) {
        requireWritable();
        return store.say(id, lease, drafts, now);
    }

    @Override
    public boolean addStep(TurnId id, Lease lease, Step step, Usage usage, List<Draft> drafts, Instant now) {
        requireWritable();
        return store.addStep(id, lease, step, usage, drafts, now);
    }

    @Override
    public boolean addResults(
            TurnId id, Lease lease, int step, List<CallResult> results, List<Draft> drafts, Instant now) {
        requireWritable();
        return store.addResults(id, lease, step, results, drafts, now);
    }

    @Override
    public boolean end(TurnId id, UUID gateway, Turn.End end, List<Draft> drafts) {
        requireWritable();
        return store.end(id, gateway, end, drafts);
    }

    @Override
    public List<Turn> cancel(SessionId session, Ending ending, Instant now) {
        return store.cancel(session, ending, now);
    }

    @Override
    public Set<TurnId> toEnd(UUID gateway) {
        return store.toEnd(gateway);
    }

    @Override
    public Set<TurnId> known(Set<TurnId> ids) {
        return store.known(ids);
    }

    @Override
    public void noteWaiting(Instant now) {
        store.noteWaiting(now);
    }

    @Override
    public List<Turn> abandoned(UUID gateway, Set<TurnId> alive, Instant now) {
        return store.abandoned(gateway, alive, now);
    }

    @Override
    public boolean abandon(TurnId id, UUID gateway, Turn.End end, List<Draft> drafts) {
        requireWritable();
        if (id.toString().equals(keeps)) throw new BackendUnavailable("it is kept on purpose");
        return store.abandon(id, gateway, end, drafts);
    }

    @Override
    public List<Turn> endOrphans(Ending ending, Instant now) {
        return store.endOrphans(ending, now);
    }

    @Override
    public List<Step> steps(TurnId id) {
        return store.steps(id);
    }

    @Override
    public String lastText(TurnId id) {
        return store.lastText(id);
    }

    @Override
    public List<Exchange> before(SessionId session, long messageSeq, int limit, long characters) {
        return store.before(session, messageSeq, limit, characters);
    }

    private void requireWritable() {
        if (isReadOnly) throw new BackendUnavailable("the database is read-only on purpose");
    }
}
