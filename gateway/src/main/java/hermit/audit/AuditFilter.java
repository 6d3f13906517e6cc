package hermit.audit;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// Which records are wanted; what is empty, is not asked for.
///
/// - `who`: a caller as records name them.
/// - `action`: a whole action, or its beginning up to a dot, as in `agents`.
/// - `since`, `until`: the first moment that counts, and the first that does not any more.
public record AuditFilter(
        Optional<UUID> agentUid,
        Optional<String> who,
        Optional<String> action,
        Optional<Instant> since,
        Optional<Instant> until) {
    public static final AuditFilter ALL =
            new AuditFilter(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
}
