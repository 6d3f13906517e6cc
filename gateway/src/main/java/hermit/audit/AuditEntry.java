package hermit.audit;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/// What is to be recorded. Nothing of it is ever a secret.
///
/// - `at`: to the microsecond, which is what databases keep.
/// - `who`: a caller as records name them, e.g. `user:ID`.
/// - `address`: where the request came from; empty for what the gateway did by itself.
/// - `action`: a word such as `agents.create`.
/// - `target`: what it was done to, e.g. a path without its query.
/// - `result`: `ok`, the code of a problem, or how a command ended.
/// - `details`: few and small, in order of their names.
public record AuditEntry(
        Instant at,
        String who,
        String address,
        String action,
        Optional<UUID> agentUid,
        String target,
        String result,
        String requestId,
        Map<String, String> details) {
    public AuditEntry {
        at = at.truncatedTo(ChronoUnit.MICROS);
        who = storable(who);
        address = storable(address);
        target = storable(target);
        requestId = storable(requestId);
        var sorted = new TreeMap<String, String>();
        details.forEach((name, value) -> sorted.put(name, storable(value)));
        details = Collections.unmodifiableMap(sorted);
    }

    /// What every database gives back as it was: neither NUL nor half a surrogate pair is, and a text that came back
    /// changed would look like one that somebody has changed.
    private static String storable(String text) {
        String whole = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
        return whole.replace('\0', ' ');
    }
}
