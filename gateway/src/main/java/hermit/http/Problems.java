package hermit.http;

import hermit.api.Problem;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.Forbidden;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.GatewayException.MissingCredential;
import hermit.problem.GatewayException.NotAvailable;
import hermit.problem.GatewayException.NotFound;
import hermit.problem.GatewayException.ProviderError;
import hermit.problem.GatewayException.RateLimited;
import hermit.problem.GatewayException.Refused;
import hermit.problem.GatewayException.Unauthenticated;
import hermit.problem.GatewayException.Unsupported;
import hermit.problem.ProblemCode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Turns whatever went wrong into problem+json, in one place.
final class Problems {
    private Problems() {}

    /// A problem, and the headers that go with it.
    record Answer(Problem problem, Map<String, String> headers) {}

    static Answer of(GatewayException e) {
        Map<String, String> headers = switch (e) {
            case Unauthenticated _ -> Map.of("WWW-Authenticate", "Bearer realm=\"hermit\"");
            case RateLimited _, Conflict _ -> retryAfter(e.retryAfter());
            case BackendUnavailable _ -> retryAfter(Optional.of(Duration.ofSeconds(5)));
            case Invalid _,
                    Forbidden _,
                    NotFound _,
                    Refused _,
                    Unsupported _,
                    MissingCredential _,
                    NotAvailable _,
                    ProviderError _ -> Map.of();
        };
        List<Problem.FieldError> errors = e.errors().stream()
                .map(each -> new Problem.FieldError(each.path(), each.message()))
                .toList();
        return new Answer(problem(e.code(), e.code().status(), e.detail(), errors), headers);
    }

    /// The closed set of codes has none for some statuses of HTTP itself, such as 405 and 431: the nearest
    /// one is used.
    static Answer of(ProblemCode code, int status, String detail, Map<String, String> headers) {
        return new Answer(problem(code, status, detail, List.of()), headers);
    }

    /// Something that nobody foresaw. What it was stands in the log under the request's id.
    static Answer internal(String requestId) {
        return of(
                ProblemCode.INTERNAL,
                ProblemCode.INTERNAL.status(),
                "Something went wrong inside the gateway; its log says more about request " + requestId,
                Map.of());
    }

    static Answer noSuchRange(long size) {
        return of(
                ProblemCode.INVALID,
                416,
                "The file has %d bytes, and none in this range".formatted(size),
                Map.of("Content-Range", "bytes */" + size));
    }

    static Answer closing() {
        return of(new BackendUnavailable("The gateway is shutting down"));
    }

    private static Problem problem(ProblemCode code, int status, String detail, List<Problem.FieldError> errors) {
        return new Problem("urn:hermit:problem:" + code.wire(), code.title(), status, detail, code.wire(), errors);
    }

    /// Whole seconds, rounded up: a client that comes back at that time must not be too early.
    private static Map<String, String> retryAfter(Optional<Duration> time) {
        return time.map(each -> Map.of(
                        "Retry-After", Long.toString(each.plusNanos(999_999_999).toSeconds())))
                .orElse(Map.of());
    }
}
