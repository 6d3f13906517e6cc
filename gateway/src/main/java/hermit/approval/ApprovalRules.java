package hermit.approval;

import hermit.access.Caller;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.NotFound;
import hermit.sandbox.SandboxId;
import hermit.session.Author;
import hermit.session.SessionId;
import hermit.world.World;
import java.util.UUID;

/// What has been remembered, for those who decide about the agents.
public final class ApprovalRules {
    private final RuleStore store;
    private final Deciders deciders;
    private final World world;

    public ApprovalRules(RuleStore store, Deciders deciders, World world) {
        this.store = store;
        this.deciders = deciders;
        this.world = world;
    }

    /// Whether exactly this call has been allowed before; counts as a use of the rule.
    public boolean allow(UUID agentUid, SandboxId sandbox, SessionId session, Author requester, String sha256) {
        return store.use(agentUid, sandbox, session, requester, sha256, world.now())
                .isPresent();
    }

    public Page<ApprovalRule> list(Caller caller, PageRequest page) {
        return store.list(deciders.agentsOf(caller), page, world.now());
    }

    /// Asks again from now on. Throws [NotFound] also for a rule of an agent that is not the caller's to
    /// decide about.
    public void remove(Caller caller, ApprovalRule.Id id) {
        var agents = deciders.agentsOf(caller);
        boolean theirs = store.find(id)
                .filter(rule -> agents.isEmpty() || agents.get().contains(rule.agentUid()))
                .isPresent();
        if (!theirs || !store.remove(id)) throw new NotFound("No such rule");
    }

    /// Called now and then, and when a session has ended.
    public void prune() {
        store.prune(world.now());
    }
}
