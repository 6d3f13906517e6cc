package hermit.backend.e2b;

import com.fasterxml.jackson.core.JsonProcessingException;
import hermit.backend.e2b.Calls.Answer;
import hermit.backend.keeper.Scheduler;
import hermit.config.CloudSettings;
import hermit.config.Secret;
import hermit.exec.Progress;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.MissingCredential;
import hermit.problem.GatewayException.ProviderError;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/// The one caller of E2B's control plane: it has the key, waits out a 429, and says in our words what failed.
final class ControlPlane {
    static final String DEFAULT_DOMAIN = "e2b.app";
    private static final int MOST_RETRIES = 3;

    private final Calls calls;
    private final Optional<Secret> key;
    private final URI base;
    private final E2bTimes times;
    private final Scheduler scheduler;

    ControlPlane(Calls calls, CloudSettings.E2b settings, E2bTimes times, Scheduler scheduler) {
        this.calls = calls;
        this.key = settings.apiKey();
        this.base = settings.apiUrl()
                .orElseGet(() -> URI.create("https://api." + settings.domain().orElse(DEFAULT_DOMAIN)));
        this.times = times;
        this.scheduler = scheduler;
    }

    /// No answer came, or none that says what became of the request: it may have been done.
    static final class Unanswered extends Exception {
        private final boolean late;

        Unanswered(String message, boolean late, Throwable cause) {
            super(message, cause);
            this.late = late;
        }

        BackendUnavailable unavailable() {
            return new BackendUnavailable(String.valueOf(getMessage()), this);
        }

        /// Whether a whole time limit was spent on it.
        boolean late() {
            return late;
        }
    }

    Answer get(String what, String path) throws InterruptedException {
        try {
            return send(what, request(path).GET(), times.quick(), Progress.NONE);
        } catch (Unanswered e) {
            throw e.unavailable();
        }
    }

    Answer delete(String what, String path) throws InterruptedException {
        try {
            return send(what, request(path).DELETE(), times.quick(), Progress.NONE);
        } catch (Unanswered e) {
            throw e.unavailable();
        }
    }

    Answer post(String what, String path, Map<String, Object> body, Duration within, Progress progress)
            throws Unanswered, InterruptedException {
        var request =
                request(path).setHeader("Content-Type", "application/json").POST(BodyPublishers.ofString(json(body)));
        return send(what, request, within, progress);
    }

    /// The failure that an answer stands for. `what` was tried.
    GatewayException failure(String what, Answer answer) {
        String detail = "%s: E2B answers %s".formatted(what, answer.message());
        // What it does not know itself it says in JSON.
        if (answer.status() == 404 && answer.json().isMissingNode())
            detail += " (a server that has no such call? E2B_API_VERSION=v1 is for older ones)";
        return switch (answer.status()) {
            case 401 -> new ProviderError("%s: E2B refuses the key in E2B_API_KEY".formatted(what));
            case 429, 502, 503, 504 -> new BackendUnavailable(hidden(detail));
            default -> new ProviderError(hidden(detail));
        };
    }

    private HttpRequest.Builder request(String path) {
        var secret = key.orElseThrow(
                () -> new MissingCredential("E2B_API_KEY is not set: sandboxes at E2B cannot be used without a key"));
        return Calls.to(base, path).setHeader("X-API-KEY", secret.reveal());
    }

    private Answer send(String what, HttpRequest.Builder request, Duration within, Progress progress)
            throws Unanswered, InterruptedException {
        var left = times.mostRetryAfter();
        for (int retries = 0; ; retries++) {
            var answer = once(what, request.build(), within);
            var wait = retryAfter(answer);
            if (wait.isEmpty() || retries == MOST_RETRIES || wait.get().compareTo(left) > 0) return answer;
            left = left.minus(wait.get());
            progress.report("E2B limits the rate of requests; waiting for %d s"
                    .formatted(wait.get().toSeconds()));
            scheduler.pause(wait.get());
        }
    }

    private Answer once(String what, HttpRequest request, Duration within) throws Unanswered, InterruptedException {
        try {
            return calls.call(request, within);
        } catch (IOException e) {
            throw new Unanswered(
                    hidden("%s: E2B gives no answer: %s".formatted(what, e.getMessage())),
                    e instanceof HttpTimeoutException,
                    e);
        }
    }

    private static Optional<Duration> retryAfter(Answer answer) {
        if (answer.status() != 429) return Optional.empty();
        // Digits only: the header's other form, a date, the provider does not use.
        return answer.header("Retry-After")
                .filter(text -> text.matches("[0-9]{1,6}"))
                .map(text -> Duration.ofSeconds(Long.parseLong(text)));
    }

    /// What the other side says may repeat what it was sent.
    private String hidden(String text) {
        return key.map(secret -> text.replace(secret.reveal(), "…")).orElse(text);
    }

    private static String json(Map<String, Object> body) {
        try {
            return Calls.JSON.writeValueAsString(body);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException("texts, numbers and maps are always JSON", impossible);
        }
    }
}
