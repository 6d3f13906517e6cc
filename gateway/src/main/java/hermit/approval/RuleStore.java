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

/// How rules are kept. They are made with the approval that they come from: see [ApprovalStore#approve].
public interface RuleStore {
    /// Finds a rule in force for exactly this call, and counts its use.
    Optional<ApprovalRule.Id> use(
            UUID agentUid, SandboxId sandbox, SessionId session, Author requester, String sha256, Instant now);

    Optional<ApprovalRule> find(ApprovalRule.Id id);

    /// Those in force, newest first; the page's key is the id. Of all agents where none are given.
    Page<ApprovalRule> list(Optional<Set<UUID>> agents, PageRequest page, Instant now);

    /// False if it is not there.
    boolean remove(ApprovalRule.Id id);

    /// Removes what has expired, and what counted in sessions that have ended.
    void prune(Instant now);
}
