package hermit.world;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// How often each of many may do something: `burst` times at once, and one more after each `refill`. Memory is bounded:
/// of more than 10,000, who did it longest ago is forgotten first.
public final class Allowance<K> {
    private static final int MOST = 10_000;

    private final int burst;
    private final Duration refill;
    private final InstantSource clock;
    /// When somebody may do it `burst` times again. In the past: as good as unknown.
    private final Map<K, Instant> fullAgain = new LinkedHashMap<>();

    public Allowance(int burst, Duration refill, InstantSource clock) {
        this.burst = burst;
        this.refill = refill;
        this.clock = clock;
    }

    /// Does it once, or says after which time it may be done.
    public synchronized Optional<Duration> use(K who) {
        Optional<Duration> wait = wait(who);
        if (wait.isEmpty()) spend(who);
        return wait;
    }

    /// After which time it may be done; empty if at once.
    public synchronized Optional<Duration> wait(K who) {
        Instant now = clock.instant();
        Instant earliest = fullAgain.getOrDefault(who, now).minus(refill.multipliedBy(burst - 1L));
        return earliest.isAfter(now) ? Optional.of(Duration.between(now, earliest)) : Optional.empty();
    }

    /// Counts it, whether it was allowed or not.
    public synchronized void spend(K who) {
        Instant now = clock.instant();
        Instant before = Optional.ofNullable(fullAgain.remove(who)).orElse(now);
        fullAgain.put(who, (before.isAfter(now) ? before : now).plus(refill));
        if (fullAgain.size() <= MOST) return;
        fullAgain.values().removeIf(full -> !full.isAfter(now));
        var oldest = fullAgain.keySet().iterator();
        while (fullAgain.size() > MOST && oldest.hasNext()) {
            oldest.next();
            oldest.remove();
        }
    }
}
