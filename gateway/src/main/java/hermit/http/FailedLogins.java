package hermit.http;

import hermit.problem.GatewayException.RateLimited;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Slows down whoever tries tokens: an address has [#BURST] failures to spend and gets one back each
/// [#REFILL]. While it has none, nothing that it sends is compared at all, not even the right token. That
/// bounds guessing, and locks nobody out for longer than a second once the guessing has stopped.
public final class FailedLogins {
    static final int BURST = 20;
    static final Duration REFILL = Duration.ofSeconds(1);
    /// Bounds the memory; the addresses that failed longest ago are forgotten first.
    private static final int MAX_ADDRESSES = 10_000;

    private final InstantSource clock;
    /// When an address has all its failures back. In the past: as good as unknown.
    private final Map<String, Instant> fullAgain = new HashMap<>();

    public FailedLogins(InstantSource clock) {
        this.clock = clock;
    }

    /// Throws [RateLimited] if the address has no failure left.
    public synchronized void check(String address) {
        Instant now = clock.instant();
        Instant earliest = fullAgain.getOrDefault(key(address), now).minus(REFILL.multipliedBy(BURST - 1L));
        if (earliest.isAfter(now))
            throw new RateLimited("Too many failed logins from this address", Duration.between(now, earliest));
    }

    /// Counts a failure.
    public synchronized void failed(String address) {
        Instant now = clock.instant();
        Instant from = fullAgain.getOrDefault(key(address), now);
        fullAgain.put(key(address), (from.isAfter(now) ? from : now).plus(REFILL));
        if (fullAgain.size() > MAX_ADDRESSES) forget(now);
    }

    /// Makes room for many at once, so that a crowd of addresses does not cost a search for each failure.
    private void forget(Instant now) {
        fullAgain.values().removeIf(full -> !full.isAfter(now));
        if (fullAgain.size() <= MAX_ADDRESSES) return;
        List<String> oldestFirst = fullAgain.entrySet().stream()
                .sorted(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .toList();
        oldestFirst.subList(0, MAX_ADDRESSES / 10).forEach(fullAgain::remove);
    }

    /// One customer of an IPv6 provider has a whole /64 of addresses.
    private static String key(String address) {
        String[] groups = address.split(":", -1);
        if (groups.length < 5) return address;
        return String.join(":", groups[0], groups[1], groups[2], groups[3]);
    }
}
