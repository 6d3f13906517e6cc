package hermit.access;

import hermit.identity.UserId;
import hermit.problem.GatewayException.RateLimited;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/// Slows down whoever tries access tokens: a person, and an agent as a whole, have a few failures to spend and get one
/// back each minute. While there is none, nothing is compared at all, not even the right token.
public final class FailedJoins {
    static final int BURST_OF_PERSON = 5;
    static final int BURST_OF_AGENT = 50;
    static final Duration REFILL = Duration.ofMinutes(1);
    private static final int MOST = 10_000;

    private final InstantSource clock;
    /// When all failures are there again. In the past: as good as unknown.
    private final Map<Object, Instant> fullAgain = new LinkedHashMap<>();

    private record Try(UUID agentUid, UserId user) {}

    public FailedJoins(InstantSource clock) {
        this.clock = clock;
    }

    synchronized void check(UUID agentUid, UserId user) {
        check(new Try(agentUid, user), BURST_OF_PERSON);
        check(agentUid, BURST_OF_AGENT);
    }

    synchronized void failed(UUID agentUid, UserId user) {
        spend(new Try(agentUid, user));
        spend(agentUid);
    }

    private void check(Object key, int burst) {
        Instant now = clock.instant();
        Instant earliest = fullAgain.getOrDefault(key, now).minus(REFILL.multipliedBy(burst - 1L));
        if (earliest.isAfter(now))
            throw new RateLimited("Too many wrong access tokens", Duration.between(now, earliest));
    }

    private void spend(Object key) {
        Instant now = clock.instant();
        Instant from = fullAgain.getOrDefault(key, now);
        fullAgain.remove(key);
        fullAgain.put(key, (from.isAfter(now) ? from : now).plus(REFILL));
        if (fullAgain.size() <= MOST) return;
        fullAgain.values().removeIf(full -> !full.isAfter(now));
        var oldest = fullAgain.keySet().iterator();
        while (fullAgain.size() > MOST && oldest.hasNext()) {
            oldest.next();
            oldest.remove();
        }
    }
}
