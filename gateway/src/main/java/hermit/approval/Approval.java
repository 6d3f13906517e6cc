package hermit.approval;

import hermit.agent.AgentId;
import hermit.exec.ExecId;
import hermit.problem.Documents;
import hermit.sandbox.SandboxId;
import hermit.session.Author;
import hermit.session.SessionId;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// A call that asks a person first, and what became of it.
///
/// - `callId`: the same in the session's events.
/// - `summary`: what will run, for people to read: command, working directory, names of variables with a
///   digest of their values. What is carried out is kept apart and never shown.
/// - `sha256`: of everything that decides what runs.
/// - `gateway`: the one at which the call came in, and which carries it out.
/// - `execId`: under which its command runs, fixed before anybody is asked: the sandbox refuses it a second
///   time. What was asked for without one gets it when it is approved.
/// - `revision`: grows with each change of any approval.
public record Approval(
        ApprovalId id,
        UUID agentUid,
        AgentId agentId,
        SessionId sessionId,
        UUID callId,
        String tool,
        Author requester,
        Place place,
        Map<String, Object> summary,
        String sha256,
        UUID gateway,
        State state,
        Optional<ExecId> execId,
        Instant createdAt,
        Instant expiresAt,
        Optional<Settlement> settlement,
        Optional<Map<String, Object>> result,
        Optional<Instant> finishedAt,
        long revision) {

    public enum State {
        PENDING,
        /// Nobody has begun to carry it out yet.
        APPROVED,
        EXECUTING,
        DONE,
        DENIED,
        EXPIRED,
        CANCELLED,
        /// It was begun, and what became of it cannot be learned. Never begun again.
        UNKNOWN;

        private static final Set<State> UNDONE = EnumSet.of(PENDING, APPROVED, EXECUTING);

        public boolean isFinal() {
            return !UNDONE.contains(this);
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// Where it is to run, and nowhere else: another row, another config or another machine asks again.
    ///
    /// - `generation`: 0 if there was no machine yet; the first one that the row gets is meant then.
    public record Place(SandboxId sandbox, long version, long generation) {}

    /// How it stopped being pending. `by` is who decided, as [Author#name] says, or `hermit` where nobody
    /// did.
    public record Settlement(Instant at, String by, Optional<String> reason) {}

    /// Who settles what nobody decides.
    public static final String NOBODY = "hermit";

    public Approval {
        summary = Documents.copyOf(summary);
        result = result.map(Documents::copyOf);
    }
}
