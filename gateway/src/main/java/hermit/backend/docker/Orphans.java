package hermit.backend.docker;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// Which things have been without an owner for so long that they may go. A row is written before its
/// machine is made and deleted before its machine is removed, so that a single look proves little.
final class Orphans<K> {
    private final Duration grace;
    private final Map<K, Instant> since = new HashMap<>();

    Orphans(Duration grace) {
        this.grace = grace;
    }

    /// Takes all that has no owner now. Returns what had none at a look at least the grace period ago, nor at any
    /// since.
    synchronized Set<K> seen(Set<K> ownerless, Instant now) {
        since.keySet().retainAll(ownerless);
        var due = new HashSet<K>();
        for (K each : ownerless) {
            var first = since.putIfAbsent(each, now);
            if (first != null && !now.isBefore(first.plus(grace))) due.add(each);
        }
        return due;
    }
}
