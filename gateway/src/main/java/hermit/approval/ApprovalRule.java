package hermit.approval;

import hermit.agent.AgentId;
import hermit.exec.Uuids;
import hermit.problem.Documents;
import hermit.problem.GatewayException.NotFound;
import hermit.sandbox.SandboxId;
import hermit.session.Author;
import hermit.session.SessionId;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// A command that need not ask again, for one requester in one sandbox. It is the very same command or it
/// is another one: the text or argument list, working directory, variables, input and all.
///
/// - `sessionId`: the only session in which it counts; empty for every session of the requester.
/// - `author`: who remembered it.
public record ApprovalRule(
        Id id,
        UUID agentUid,
        AgentId agentId,
        SandboxId sandboxId,
        Optional<SessionId> sessionId,
        Author requester,
        Map<String, Object> summary,
        String sha256,
        String author,
        Instant createdAt,
        Instant expiresAt,
        long uses,
        Optional<Instant> lastUsedAt) {
    public ApprovalRule {
        summary = Documents.copyOf(summary);
    }

    public record Id(UUID value) {
        /// From a path: what cannot be an id cannot exist either.
        public static Id inPath(String text) {
            return Uuids.parse(text).map(Id::new).orElseThrow(() -> new NotFound("No such rule"));
        }

        @Override
        public String toString() {
            return value.toString();
        }
    }
}
