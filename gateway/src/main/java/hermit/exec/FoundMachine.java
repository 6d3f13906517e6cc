package hermit.exec;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// A machine at a provider that carries this gateway's mark, whether or not a row knows it.
///
/// - `id`: how the provider calls it; what `external_id` is of a row.
/// - `sandbox`: the row that it was made for.
public record FoundMachine(
        String id, Optional<UUID> sandbox, LiveState.State state, String detail, Optional<Instant> createdAt) {}
