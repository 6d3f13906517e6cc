package hermit.audit.http;

import hermit.world.Allowance;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/// Which failures are recorded, so that nobody fills the database by being refused. An address has
/// [#BURST] at once and one more each [#REFILL]. Those of whom nobody knows who they are have
/// [#BURST_OF_ALL] for each [Kind], whatever their addresses, and one more each [#REFILL_OF_ALL]: under
/// 10,000 a day. What was left out is counted, and said by a later record.
final class RecordedFailures {
    static final int BURST = 100;
    static final Duration REFILL = Duration.ofSeconds(1);
    static final int BURST_OF_ALL = 1_000;
    static final Duration REFILL_OF_ALL = Duration.ofSeconds(10);
    /// Of so many addresses it is counted what was left out; far more than fail that often at one time.
    private static final int MOST_ADDRESSES = 10_000;

    private final Allowance<String> ofAddress;
    private final Allowance<Kind> ofAll;
    private final ConcurrentHashMap<String, Long> leftOut = new ConcurrentHashMap<>();
    private final AtomicLong leftOutElsewhere = new AtomicLong();

    /// Counted apart, so that a flood of one does not hide the other.
    enum Kind {
        /// By somebody who is known.
        KNOWN,
        /// A credential was wrong or missing.
        CREDENTIALS,
        /// Turned away for where it came from or went to, which any page can bring a browser to do.
        ORIGIN
    }

    RecordedFailures(InstantSource clock) {
        this.ofAddress = new Allowance<>(BURST, REFILL, clock);
        this.ofAll = new Allowance<>(BURST_OF_ALL, REFILL_OF_ALL, clock);
    }

    /// Whether one more is recorded; it is counted as left out if not.
    boolean admits(String address, Kind kind) {
        boolean admitted = ofAddress.wait(address).isEmpty()
                && (kind == Kind.KNOWN || ofAll.use(kind).isEmpty());
        if (admitted) ofAddress.spend(address);
        else if (leftOut.size() < MOST_ADDRESSES) leftOut.merge(address, 1L, Long::sum);
        else leftOutElsewhere.incrementAndGet();
        return admitted;
    }

    /// What has been left out of this address, and of those that were not counted apart, since this was last asked.
    Map<String, String> leftOut(String address) {
        var details = new LinkedHashMap<String, String>();
        Optional.ofNullable(leftOut.remove(address))
                .ifPresent(count -> details.put("failures_left_out", count.toString()));
        long elsewhere = leftOutElsewhere.getAndSet(0);
        if (elsewhere > 0) details.put("failures_left_out_elsewhere", Long.toString(elsewhere));
        return details;
    }
}
