package hermit.approval;

import hermit.approval.Approval.Settlement;
import hermit.approval.Approval.State;
import hermit.exec.ExecId;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.session.SessionEvent.Draft;
import hermit.session.SessionId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// How approvals are kept. Each call is one transaction, which also writes what the session's log says of the change
/// ([ApprovalEvents]): both are there, or neither. A state is only ever left by compare-and-set: of
/// many who want to decide, begin or finish one, the first does and the others learn that they have not.
public interface ApprovalStore {
    /// `call`: all that is needed to carry it out; kept until the matter is settled. The approval with its
    /// revision.
    Approval add(Approval approval, Map<String, Object> call);

    Optional<Approval> find(ApprovalId id);

    /// Newest first; the page's key is the id. Of all agents where none are given.
    Page<Approval> list(Optional<Set<UUID>> agents, Optional<State> state, PageRequest page);

    /// Pending becomes approved, with the id under which its command will run, if it has not expired and
    /// what it was asked for is still there: the session open, the sandbox and the agent live. A rule is
    /// remembered with it, or not at all. Empty if nothing was changed.
    Optional<Approval> approve(ApprovalId id, Settlement settlement, ExecId execId, Optional<ApprovalRule> rule);

    /// Pending becomes denied. Empty if nothing was changed.
    Optional<Approval> deny(ApprovalId id, Settlement settlement);

    /// What is pending in a session, or approved and not begun, becomes cancelled. Those that were changed.
    List<Approval> cancel(SessionId session, Settlement settlement);

    /// If it is pending, or approved and not begun, it becomes cancelled. Empty if nothing was changed.
    Optional<Approval> cancel(ApprovalId id, Settlement settlement);

    /// The same for these calls of a session alone.
    List<Approval> cancel(SessionId session, Set<UUID> calls, Settlement settlement);

    /// That of a call.
    Optional<Approval> ofCall(SessionId session, UUID call);

    /// Of a session, in order of id.
    List<Approval> ofSession(SessionId session, State state);

    /// Settles what nobody can decide or carry out any more: expired, or its session, sandbox or agent
    /// gone. What was approved and not begun in time is among it. Those that were settled now.
    List<Approval> settle(Instant now);

    /// Approved becomes executing; the call that is to be carried out, or empty if nothing was changed.
    Optional<Map<String, Object>> begin(ApprovalId id);

    /// Executing becomes done, cancelled or unknown. `events`: what the session's log says of the outcome. Empty if
    /// nothing was changed.
    Optional<Approval> finish(
            ApprovalId id,
            State state,
            Optional<String> reason,
            Optional<Map<String, Object>> result,
            List<Draft> events,
            Instant now);

    /// In order of id.
    List<Approval> ofGateway(UUID gateway, State state);

    /// The newest revision.
    long revision();

    /// What has changed since, in order of revision; at most `limit`. Each approval as it is now, once.
    List<Approval> changedAfter(long revision, Optional<Set<UUID>> agents, int limit);
}
