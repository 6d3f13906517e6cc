package hermit.turn;

import hermit.session.Author;
import hermit.session.SessionEvent;
import hermit.session.SessionEvent.Draft;
import hermit.session.SessionId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// How turns are kept. Each call is one transaction, which also writes what the session's log says: both
/// are there, or neither. Of those who want to begin or end a turn, the first does. A turn that runs is its
/// gateway's alone: nobody else writes to it while its lease lasts, and its gateway no longer once another
/// has ended it.
public interface TurnStore {
    /// Shorter than any silence after which a session ends.
    Duration NOTED_EVERY = Duration.ofSeconds(15);

    /// Says something in an open session and queues the answer. The message as it was written; empty if the
    /// session has ended.
    Optional<SessionEvent> post(SessionId session, Draft message, TurnId turn, Author author, Instant now);

    Optional<Turn> find(SessionId session, TurnId id);

    /// How many turns wait in a session.
    int waitingIn(SessionId session);

    /// How many turns of an author run or wait, in all sessions.
    int undoneOf(Author author);

    /// Begins the oldest turn that waits in a session, unless one runs there: now it is that gateway's.
    Optional<Turn> begin(SessionId session, Lease lease, Instant now);

    /// Sessions in which a turn waits and none runs; at most `limit`.
    List<SessionId> waiting(int limit);

    /// Says something in a turn that (still) is the gateway's, and renews the lease by it. False if it is
    /// not.
    boolean say(TurnId id, Lease lease, List<Draft> drafts, Instant now);

    /// The same with a step, and what it has used.
    boolean addStep(TurnId id, Lease lease, Step step, Usage usage, List<Draft> drafts, Instant now);

    /// The same with the results of a step.
    boolean addResults(TurnId id, Lease lease, int step, List<CallResult> results, List<Draft> drafts, Instant now);

    /// Ends a turn that is the gateway's. False if it is not.
    boolean end(TurnId id, UUID gateway, Turn.End end, List<Draft> drafts);

    /// Notes for a session's turns that somebody wants their end: those that wait have ended by it, those
    /// that run are to end. Those for which nobody had asked before.
    List<Turn> cancel(SessionId session, Ending ending, Instant now);

    /// Of the gateway's turns that run, those that are to end: somebody has asked for it, or the session
    /// has ended.
    Set<TurnId> toEnd(UUID gateway);

    /// Of these turns those that are there: a session that is deleted takes its turns with it.
    Set<TurnId> known(Set<TurnId> ids);

    /// Sessions in which a turn waits are not silent: notes that something happens in them, unless that was noted
    /// within [#NOTED_EVERY]. Those that run see to that themselves, by whatever they write.
    void noteWaiting(Instant now);

    /// Turns that run and that nobody runs: the gateway's own but for `alive`, and others' whose lease has
    /// run out.
    List<Turn> abandoned(UUID gateway, Set<TurnId> alive, Instant now);

    /// Ends an abandoned turn. False if it has ended, or somebody turns out to run it.
    boolean abandon(TurnId id, UUID gateway, Turn.End end, List<Draft> drafts);

    /// Turns that wait in sessions that have ended; they end by it.
    List<Turn> endOrphans(Ending ending, Instant now);

    /// The steps of a turn, in order.
    List<Step> steps(TurnId id);

    /// What the model has said last in a turn; empty if it has said nothing.
    String lastText(TurnId id);

    /// What was said before that message, and how it was answered: the newest messages, oldest first. At
    /// most so many, and not more than have about so many characters together, but the newest in any case.
    List<Exchange> before(SessionId session, long messageSeq, int limit, long characters);

    /// Who runs a turn, and until when the others take that for granted.
    record Lease(UUID gateway, Instant until) {}

    /// What the log says of a turn that ends without having run.
    @FunctionalInterface
    interface Ending {
        List<Draft> of(Turn turn);
    }

    /// A message and its answer.
    ///
    /// - `end`: of its turn; empty if it had none, or that one has not ended.
    record Exchange(long messageSeq, String text, List<Step> steps, Optional<Turn.End> end) {
        public Exchange {
            steps = List.copyOf(steps);
        }
    }
}
