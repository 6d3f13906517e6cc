package hermit.sandbox;

import hermit.exec.BackendType;
import hermit.exec.LiveState;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// A machine that may still run and cost something, and that no live row uses.
///
/// - `sandbox`: the row that it was made for; it need not be in this database.
/// - `row`: that row, where there is one.
/// - `externalId`: how the provider calls the machine.
/// - `state`: what the provider says of it; empty if the provider could not be asked.
/// - `deletedAt`: when its row was deleted; empty if the row lives on with another machine, or is unknown.
public record Leftover(
        UUID sandbox,
        BackendType type,
        String externalId,
        Optional<Sandbox> row,
        Optional<LiveState.State> state,
        String detail,
        Optional<Instant> deletedAt,
        Optional<Instant> createdAt) {}
