package hermit.audit.http;

import hermit.audit.Audit;
import hermit.http.AnsweredRequest;
import hermit.http.RequestObserver;
import hermit.problem.ProblemCode;
import hermit.world.Allowance;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Records requests. What succeeds is recorded always; of what fails, an address has [#BURST] records at once and one
/// more each [#REFILL], so that nobody fills the database by being refused. How many were left out is said by the next.
public final class AuditedRequests implements RequestObserver {
    static final int BURST = 100;
    static final Duration REFILL = Duration.ofSeconds(1);
    /// Of so many addresses it is counted what was left out; far more than fail that often at one time.
    private static final int MOST_ADDRESSES = 10_000;

    private final Audit audit;
    private final Allowance<String> failures;
    private final ConcurrentHashMap<String, Long> leftOut = new ConcurrentHashMap<>();

    public AuditedRequests(Audit audit, InstantSource clock) {
        this.audit = audit;
        this.failures = new Allowance<>(BURST, REFILL, clock);
    }

    @Override
    public void answered(AnsweredRequest request) {
        if (request.problem().isPresent() && failures.use(request.address()).isPresent()) {
            if (leftOut.size() < MOST_ADDRESSES) leftOut.merge(request.address(), 1L, Long::sum);
            return;
        }
        record(request, AuditActions.of(request.method(), request.template()));
    }

    @Override
    public void closed(AnsweredRequest request) {
        String opened = AuditActions.of(request.method(), request.template());
        record(request, opened.substring(0, opened.lastIndexOf('.')) + ".close");
    }

    private void record(AnsweredRequest request, String action) {
        var details = new LinkedHashMap<>(request.notes());
        details.put("route", request.method() + " " + request.template());
        details.put("status", Integer.toString(request.status()));
        request.location().ifPresent(where -> details.put("location", where));
        Optional.ofNullable(leftOut.remove(request.address()))
                .ifPresent(count -> details.put("failures_left_out", count.toString()));
        audit.record(
                request.caller().recordedAs(),
                request.address(),
                action,
                request.agentUid(),
                request.path(),
                request.problem().map(ProblemCode::wire).orElse("ok"),
                request.id(),
                Map.copyOf(details));
    }
}
