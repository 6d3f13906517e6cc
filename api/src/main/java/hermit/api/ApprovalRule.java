package hermit.api;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// A command that need not ask again. It counts for this requester in this sandbox, and for the very same
/// command only.
///
/// - `sessionId`: the only session in which it counts; null for all.
/// - `author`: who remembered it.
public record ApprovalRule(
        UUID id,
        String agentId,
        UUID sandboxId,
        Optional<UUID> sessionId,
        String requester,
        Map<String, Object> call,
        String shown,
        String author,
        Instant createdAt,
        Instant expiresAt,
        long uses,
        Optional<Instant> lastUsedAt) {}
