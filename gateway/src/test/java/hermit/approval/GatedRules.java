package hermit.approval;

import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.sandbox.SandboxId;
import hermit.session.Author;
import hermit.session.SessionId;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

/// Rules in a store, where a call that looks for one can be held: it is in the log by then, and nobody has been asked
/// about it yet.
public final class GatedRules implements RuleStore {
    public volatile CountDownLatch gate = new CountDownLatch(0);

    private final RuleStore store;

    public GatedRules(RuleStore store) {
        this.store = store;
    }

    @Override
    public Optional<ApprovalRule.Id> use(
            UUID agentUid, SandboxId sandbox, SessionId session, Author requester, String sha256, Instant now) {
        boolean interrupted = false;
        while (gate.getCount() > 0) {
            try {
                gate.await();
            } catch (InterruptedException e) {
                interrupted = true; // whoever is held notices at their next wait
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
        return store.use(agentUid, sandbox, session, requester, sha256, now);
    }

    @Override
    public Optional<ApprovalRule> find(ApprovalRule.Id id) {
        return store.find(id);
    }

    @Override
    public Page<ApprovalRule> list(Optional<Set<UUID>> agents, PageRequest page, Instant now) {
        return store.list(agents, page, now);
    }

    @Override
    public boolean remove(ApprovalRule.Id id) {
        return store.remove(id);
    }

    @Override
    public void prune(Instant now) {
        store.prune(now);
    }
}
