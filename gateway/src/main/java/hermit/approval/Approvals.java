package hermit.approval;

import hermit.access.Caller;
import hermit.access.Gate;
import hermit.access.MembershipStore;
import hermit.access.Role;
import hermit.access.Standing;
import hermit.approval.Approval.Settlement;
import hermit.approval.Approval.State;
import hermit.exec.ExecId;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.Fields;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.Forbidden;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.GatewayException.NotFound;
import hermit.problem.ProblemCode;
import hermit.session.SessionEvent;
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

/// The inbox: calls that wait for a person, over all agents. Only an owner of the agent or the admin
/// decides, in person.
/// Silence is no.
public final class Approvals {
    /// How long somebody may take to decide.
    public static final Duration EXPIRY = Duration.ofMinutes(10);

    private static final Duration SESSION_RULES_LAST = Duration.ofHours(24);
    private static final Duration RULES_LAST = Duration.ofDays(30);
    private static final int LONGEST_REASON = 1_000;

    private final ApprovalStore store;
    private final ApprovalFeed feed;
    private final SessionLog log;
    private final Gate gate;
    private final MembershipStore memberships;
    private final World world;

    public Approvals(
            ApprovalStore store,
            ApprovalFeed feed,
            SessionLog log,
            Gate gate,
            MembershipStore memberships,
            World world) {
        this.store = store;
        this.feed = feed;
        this.log = log;
        this.gate = gate;
        this.memberships = memberships;
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
        Approval asked = changed(store.add(wanted, call));
        log.append(
                asked.sessionId(),
                false,
                new SessionEvent.Draft(
                        SessionEvent.Type.APPROVAL_REQUIRED,
                        Map.of(
                                "approval_id", asked.id().toString(),
                                "call_id", asked.callId().toString(),
                                "tool", asked.tool(),
                                "author", asked.requester().name(),
                                "call", asked.summary(),
                                "expires_at", asked.expiresAt().toString())));
        return asked;
    }

    /// For an owner of its agent, the admin, and whoever asked, in person.
    public Approval get(Caller caller, ApprovalId id) {
        Approval approval = store.find(id).orElseThrow(Approvals::noSuchApproval);
        boolean asked =
                caller.person().isPresent() && approval.requester().person().equals(caller.person());
        if (!asked && !decides(caller, approval)) throw noSuchApproval();
        return approval;
    }

    /// Those that the caller may decide. Newest first.
    public Page<Approval> list(Caller caller, Optional<State> state, PageRequest page) {
        return store.list(agentsOf(caller), state, page);
    }

    public Page<Approval> ofAgent(Standing agent, Optional<State> state, PageRequest page) {
        return store.list(Optional.of(Set.of(agent.agentUid())), state, page);
    }

    /// From the document `{decision, remember?, reason?}`. Throws [Conflict] `already_decided` for whoever
    /// comes second.
    public Approval decide(Caller caller, ApprovalId id, Map<String, Object> document) {
        Approval approval = store.find(id).orElseThrow(Approvals::noSuchApproval);
        requireDecider(caller, approval);
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
                store.approve(id, settlement, new ExecId(world.newId()), rule(approval, caller, remember, now));
        };
        if (decided.isEmpty()) {
            settle();
            throw alreadyDecided(id);
        }
        tell(changed(decided.get()));
        return decided.get();
    }

    /// Waits until it has come to an end, at most for `patience`. As it is then.
    public Approval await(ApprovalId id, Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            long seen = feed.latest(); // before the look, so that a change right after it is not slept through
            Approval approval = store.find(id).orElseThrow(Approvals::noSuchApproval);
            long left = deadline - System.nanoTime();
            if (approval.state().isFinal() || left <= 0) return approval;
            feed.await(seen, Duration.ofNanos(left));
        }
    }

    /// Settles what has expired, or lost what it was asked for. Called all the time.
    public void settle() {
        for (Approval settled : store.settle(world.now())) tell(changed(settled));
    }

    /// Follows all that the caller may decide, as they stand at each moment: first, without a revision,
    /// what is pending now.
    public Follower follow(Caller caller, Optional<Long> after) {
        return new Follower(caller, after);
    }

    /// One reader's place. Used by one thread.
    public final class Follower {
        private static final int BATCH = 100;
        /// How often it is looked again, should nothing wake it.
        private static final Duration AT_LEAST_EVERY = Duration.ofMinutes(1);

        private final Caller caller;
        private boolean began;
        private long after;

        private Follower(Caller caller, Optional<Long> after) {
            this.caller = caller;
            this.began = after.isPresent();
            this.after = after.orElse(0L);
        }

        /// From where a reader goes on who has all that [#next] has given.
        public long after() {
            return after;
        }

        /// What is new, in order of revision; waited for.
        public List<Approval> next() throws InterruptedException {
            if (!began) {
                began = true;
                after = store.revision();
                var pending = store.list(
                                agentsOf(caller), Optional.of(State.PENDING), PageRequest.first(PageRequest.MAX_LIMIT))
                        .items();
                if (!pending.isEmpty()) return pending.reversed();
            }
            while (true) {
                long upTo = store.revision();
                var news = store.changedAfter(after, agentsOf(caller), BATCH);
                if (!news.isEmpty()) {
                    after = news.getLast().revision();
                    return news;
                }
                after = Math.max(after, upTo);
                feed.await(after, AT_LEAST_EVERY);
            }
        }
    }

    Approval changed(Approval approval) {
        feed.announce(approval.revision());
        return approval;
    }

    /// The agents whose approvals the caller decides; empty for all of them.
    Optional<Set<UUID>> agentsOf(Caller caller) {
        if (caller instanceof Caller.Admin) return Optional.empty();
        return Optional.of(caller.person()
                .map(person -> memberships.agentsOf(person, Role.OWNER))
                .orElse(Set.of()));
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

    private void requireDecider(Caller caller, Approval approval) {
        if (decides(caller, approval)) return;
        boolean concerned = caller.person().isPresent()
                && (approval.requester().person().equals(caller.person())
                        || standing(caller, approval).flatMap(Standing::role).isPresent());
        if (concerned) throw new Forbidden("Only owners of this agent may decide that");
        throw noSuchApproval();
    }

    private boolean decides(Caller caller, Approval approval) {
        return switch (caller) {
            case Caller.Admin _ -> true;
            case Caller.Person _ ->
                standing(caller, approval).filter(each -> each.has(Role.OWNER)).isPresent();
            case Caller.Program _, Caller.Channel _, Caller.Anonymous _ -> false;
        };
    }

    /// How the caller stands to the agent that was asked for, which may have been deleted and made anew
    /// meanwhile.
    private Optional<Standing> standing(Caller caller, Approval approval) {
        try {
            return Optional.of(gate.standing(caller, approval.agentId().value()))
                    .filter(each -> each.agentUid().equals(approval.agentUid()));
        } catch (NotFound e) {
            return Optional.empty();
        }
    }

    private Conflict alreadyDecided(ApprovalId id) {
        String state = store.find(id).map(each -> each.state().toString()).orElse("gone");
        return new Conflict(ProblemCode.ALREADY_DECIDED, "This approval is already " + state);
    }

    private void tell(Approval approval) {
        Settlement how = approval.settlement().orElseThrow();
        log.append(
                approval.sessionId(),
                false,
                new SessionEvent.Draft(
                        SessionEvent.Type.APPROVAL_DECIDED,
                        how.reason()
                                .<Map<String, Object>>map(reason -> Map.of(
                                        "approval_id", approval.id().toString(),
                                        "call_id", approval.callId().toString(),
                                        "state", approval.state().toString(),
                                        "author", how.by(),
                                        "reason", reason))
                                .orElseGet(() -> Map.of(
                                        "approval_id", approval.id().toString(),
                                        "call_id", approval.callId().toString(),
                                        "state", approval.state().toString(),
                                        "author", how.by()))));
    }

    private static NotFound noSuchApproval() {
        return new NotFound("No such approval");
    }
}
