package hermit.api;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// A token without its secret.
///
/// - `kind`: `user`, `channel` or `agent`, with the id of the one that it stands for.
/// - `hint`: the last four characters of the secret.
/// - `scope`: `full`, or `read` for one that changes nothing.
public record Token(
        UUID id,
        String kind,
        Optional<UUID> userId,
        Optional<String> channel,
        Optional<UUID> agentUid,
        String name,
        String hint,
        String scope,
        Instant createdAt,
        Optional<Instant> expiresAt,
        Optional<Instant> lastUsedAt) {}
