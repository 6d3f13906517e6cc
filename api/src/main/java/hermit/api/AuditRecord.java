package hermit.api;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/// One link of a gateway's audit chain.
///
/// - `who`: `admin`, `user:ID`, `channel:NAME`, `agent:UID` or `anonymous`.
/// - `address`: empty for what the gateway did by itself.
/// - `result`: `ok`, the code of a problem, or how a command ended.
/// - `sha256`: over everything else; `previousSha256` is that of the record before.
public record AuditRecord(
        UUID gateway,
        long number,
        Instant at,
        String who,
        String address,
        String action,
        Optional<UUID> agentUid,
        String target,
        String result,
        String requestId,
        Map<String, String> details,
        String previousSha256,
        String sha256) {
    public AuditRecord {
        details = Collections.unmodifiableMap(new TreeMap<>(details));
    }
}
