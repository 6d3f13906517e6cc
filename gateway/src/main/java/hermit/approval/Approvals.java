package hermit.approval;

import hermit.access.Caller;
import hermit.access.Standing;
import hermit.approval.Approval.Settlement;
import hermit.approval.Approval.State;
import hermit.exec.ExecId;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.Fields;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.ProblemCode;
import hermit.session.Author;
import hermit.session.SessionId;
import hermit.session.SessionLog;
import hermit.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// The inbox: calls that wait for a person, over all agents. Who may decide, [Deciders] say. Silence is no.
public final class Approvals {
    /// How long somebody may take to decide.
    public static final Duration EXPIRY = Duration.ofMinutes(10);

    private static final Duration SESSION_RULES_LAST = Duration.ofHours(24);
    private static final Duration RULES_LAST = Duration.ofDays(30);
    private static final int LONGEST_REASON = 1_000;

    private final ApprovalStore store;
    private final ApprovalFeed feed;
    private final SessionLog log;
    private final Deciders deciders;
    private final World world;

    public Approvals(ApprovalStore store, ApprovalFeed feed, SessionLog log, Deciders deciders, World world) {
        this.store = store;
        this.feed = feed;
        this.log = log;
        this.deciders = deciders;
        this.world = world;
    }

    enum Verdict {
        APPROVE,
        DENY;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    enum Remember {
        ONCE,
        SESSION,
        ALWAYS;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// Puts a call before the owners.
    public Approval ask(Approval wanted, Map<String, Object> call) {
        return changed(store.add(wanted, call));
    }

    /// For an owner of its agent, the admin, and whoever asked, in person.
    public Approval get(Caller caller, ApprovalId id) {
        return store.find(id)
                .filter(approval -> deciders.sees(caller, approval))
                .orElseThrow(Deciders::noSuchApproval);
    }

    /// Those that the caller may decide. Newest first.
    public Page<Approval> list(Caller caller, Optional<State> state, PageRequest page) {
        return store.list(deciders.agentsOf(caller), state, page);
    }

    public Page<Approval> ofAgent(Standing agent, Optional<State> state, PageRequest page) {
        return store.list(Optional.of(Set.of(agent.agentUid())), state, page);
    }

    /// From the document `{decision, remember?, reason?}`. Throws [Conflict] `already_decided` for whoever
    /// comes second.
    public Approval decide(Caller caller, ApprovalId id, Map<String, Object> document) {
        Approval approval = store.find(id).orElseThrow(Deciders::noSuchApproval);
        deciders.require(caller, approval);
        var fields = Fields.of(document);
        var verdict = fields.required("decision", fields.word("decision", Verdict.class), Verdict.DENY);
        var remember = fields.word("remember", Remember.class).orElse(Remember.ONCE);
        var reason = fields.text("reason");
        reason.filter(text -> text.isBlank() || text.length() > LONGEST_REASON)
                .ifPresent(_ -> fields.mistake("reason", "must have 1 to %d characters".formatted(LONGEST_REASON)));
        if (verdict == Verdict.DENY && remember != Remember.ONCE)
            fields.mistake("remember", "only what is approved can be remembered");
        fields.finish();

        Instant now = world.now();
        var settlement = new Settlement(now, caller.recordedAs(), reason);
        Optional<Approval> decided = switch (verdict) {
            case DENY -> store.deny(id, settlement);
            case APPROVE ->
                store.approve(
                        id,
                        settlement,
                        approval.execId().orElseGet(() -> new ExecId(world.newId())),
                        rule(approval, caller, remember, now));
        };
        if (decided.isEmpty()) {
            settle();
            throw alreadyDecided(id);
        }
        return changed(decided.get());
    }

    /// Waits until it has come to an end, at most for `patience`. As it is then.
    public Approval await(ApprovalId id, Duration patience) throws InterruptedException {
        return await(id, Long.MAX_VALUE, patience);
    }

    /// The same, but that any change after that revision ends the waiting.
    public Approval await(ApprovalId id, long revision, Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            long seen = feed.latest(); // before the look, so that a change right after it is not slept through
            Approval approval = store.find(id).orElseThrow(Deciders::noSuchApproval);
            long left = deadline - System.nanoTime();
            if (approval.state().isFinal() || approval.revision() > revision || left <= 0) return approval;
            feed.await(seen, Duration.ofNanos(left));
        }
    }

    /// Whoever acts in a session takes back what was asked for in it and has not been begun. Those that were pending or
    /// approved.
    public List<Approval> cancel(SessionId session, Author by) {
        var settlement = new Settlement(world.now(), by.name(), Optional.of("the session's calls were cancelled"));
        List<Approval> cancelled = store.cancel(session, settlement);
        cancelled.forEach(this::changed);
        return cancelled;
    }

    /// Whoever asked takes one of their calls back. Nothing happens to one that has been begun or settled.
    public void cancel(ApprovalId id, Author by) {
        store.cancel(id, new Settlement(world.now(), by.name(), Optional.of("the call was cancelled")))
                .ifPresent(this::changed);
    }

    /// Nobody waits for these calls of a session any more: what of them is pending, or approved and not
    /// begun, becomes cancelled.
    public void cancel(SessionId session, Set<UUID> calls, String why) {
        if (calls.isEmpty()) return;
        var settlement = new Settlement(world.now(), Approval.NOBODY, Optional.of(why));
        store.cancel(session, calls, settlement).forEach(this::changed);
    }

    /// That of a call of a session.
    public Optional<Approval> ofCall(SessionId session, UUID call) {
        return store.ofCall(session, call);
    }

    /// What is being carried out for a session.
    public List<Approval> executing(SessionId session) {
        return store.ofSession(session, State.EXECUTING);
    }

    /// Settles what has expired, or lost what it was asked for. Called all the time.
    public void settle() {
        store.settle(world.now()).forEach(this::changed);
    }

    /// Follows all that the caller may decide, as they stand at each moment: first, without a revision,
    /// what is pending now.
    public ApprovalFollower follow(Caller caller, Optional<Long> after) {
        return new ApprovalFollower(store, feed, deciders, caller, after);
    }

    /// Tells everybody who waits for a change that has been stored.
    Approval changed(Approval approval) {
        feed.announce(approval.revision());
        log.changed(approval.sessionId());
        return approval;
    }

    private Optional<ApprovalRule> rule(Approval approval, Caller caller, Remember remember, Instant now) {
        if (remember == Remember.ONCE) return Optional.empty();
        Rememberable.refusal(approval.tool(), approval.summary()).ifPresent(why -> {
            throw new Invalid("remember", why);
        });
        boolean session = remember == Remember.SESSION;
        return Optional.of(new ApprovalRule(
                new ApprovalRule.Id(world.newId()),
                approval.agentUid(),
                approval.agentId(),
                approval.place().sandbox(),
                session ? Optional.of(approval.sessionId()) : Optional.empty(),
                approval.requester(),
                approval.summary(),
                approval.sha256(),
                caller.recordedAs(),
                now,
                now.plus(session ? SESSION_RULES_LAST : RULES_LAST),
                0,
                Optional.empty()));
    }

    private Conflict alreadyDecided(ApprovalId id) {
        String state = store.find(id).map(each -> each.state().toString()).orElse("gone");
        return new Conflict(ProblemCode.ALREADY_DECIDED, "This approval is already " + state);
    }
}
