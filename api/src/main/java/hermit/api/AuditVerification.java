package hermit.api;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// What recomputing the audit's chains has found: `state` is `intact` or `broken`.
public record AuditVerification(String state, List<Chain> chains) {
    public AuditVerification {
        chains = List.copyOf(chains);
    }

    /// - `records`: how many were looked at.
    /// - `firstBroken`: the number of the first record that is missing or is not what was written.
    public record Chain(UUID gateway, long records, Optional<Long> firstBroken) {}
}
