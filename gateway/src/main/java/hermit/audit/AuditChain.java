package hermit.audit;

import java.util.UUID;

/// Where one gateway's chain begins and ends.
///
/// - `prunedNumber`, `prunedSha256`: the last record that is not kept any more; 0 and
/// [AuditRecord#NOTHING_BEFORE] where all are.
public record AuditChain(UUID gateway, long prunedNumber, String prunedSha256, long lastNumber, String lastSha256) {}
