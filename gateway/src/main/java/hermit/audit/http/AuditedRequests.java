package hermit.audit.http;

import hermit.access.Caller;
import hermit.audit.Audit;
import hermit.audit.http.RecordedFailures.Kind;
import hermit.http.AnsweredRequest;
import hermit.http.RequestObserver;
import hermit.http.TurnedAway;
import hermit.problem.ProblemCode;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// Records requests. What succeeds is recorded always; of what fails, [RecordedFailures] says how much.
public final class AuditedRequests implements RequestObserver {
    private static final String TURNED_AWAY = "edge.refuse";

    private final Audit audit;
    private final RecordedFailures failures;

    public AuditedRequests(Audit audit, InstantSource clock) {
        this.audit = audit;
        this.failures = new RecordedFailures(clock);
    }

    @Override
    public void answered(AnsweredRequest request) {
        if (request.problem().isPresent() && !failures.admits(request.address(), kind(request))) return;
        record(request, AuditActions.of(request.method(), request.template()));
    }

    @Override
    public void closed(AnsweredRequest request) {
        String opened = AuditActions.of(request.method(), request.template());
        record(request, opened.substring(0, opened.lastIndexOf('.')) + ".close");
    }

    @Override
    public void turnedAway(TurnedAway request) {
        if (!failures.admits(request.address(), Kind.ORIGIN)) return;
        var details = new LinkedHashMap<>(request.shown());
        details.put("method", request.method());
        details.putAll(failures.leftOut(request.address()));
        audit.record(
                new Caller.Anonymous().recordedAs(),
                request.address(),
                TURNED_AWAY,
                Optional.empty(),
                request.path(),
                request.problem().wire(),
                request.id(),
                Map.copyOf(details));
    }

    /// A cookie that came from a foreign page lets nobody in.
    private static Kind kind(AnsweredRequest request) {
        if (!(request.caller() instanceof Caller.Anonymous)) return Kind.KNOWN;
        return request.problem().equals(Optional.of(ProblemCode.FORBIDDEN)) ? Kind.ORIGIN : Kind.CREDENTIALS;
    }

    private void record(AnsweredRequest request, String action) {
        var details = new LinkedHashMap<>(request.notes());
        details.put("route", request.method() + " " + request.template());
        details.put("status", Integer.toString(request.status()));
        request.location().ifPresent(where -> details.put("location", where));
        details.putAll(failures.leftOut(request.address()));
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
