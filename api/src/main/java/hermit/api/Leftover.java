package hermit.api;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// A machine that may still run and cost something, and that no live sandbox uses.
///
/// - `sandboxId`: the sandbox that it was made for; what reclaiming it takes.
/// - `agentId`, `alias`: of that sandbox, where the gateway still has its row.
/// - `state`: what the provider says of it; absent if the provider could not be asked.
/// - `deletedAt`: when the sandbox was deleted; absent if it lives on with another machine.
public record Leftover(
        UUID sandboxId,
        Optional<String> agentId,
        Optional<String> alias,
        String type,
        String externalId,
        Optional<String> state,
        String detail,
        Optional<Instant> createdAt,
        Optional<Instant> deletedAt) {}
