package hermit.backend.docker;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.api.exception.DockerException;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.ProviderError;
import hermit.problem.GatewayException.Unsupported;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;

/// Turns what went wrong with a request into the gateway's own words.
final class EngineFailures {
    private static final ObjectMapper JSON = new ObjectMapper();
    /// Of an engine's message. Some carry a whole OCI error chain.
    private static final int LONGEST = 1_000;

    private final URI endpoint;

    EngineFailures(URI endpoint) {
        this.endpoint = endpoint;
    }

    /// `doing` says what was tried, e.g. `start container hermit-main-default-0a1b2c3d`.
    GatewayException translate(String doing, Throwable failure) {
        if (failure instanceof GatewayException known) return known;
        if (failure instanceof DockerException answer && answer.getHttpStatus() != 0)
            return refused(doing, answer.getHttpStatus(), message(answer));
        if (find(failure, JsonProcessingException.class).isPresent())
            return new ProviderError("%s: the Docker engine's answer cannot be read".formatted(doing), failure);
        return find(failure, IOException.class)
                .<GatewayException>map(io -> unreachable(reason(io), failure))
                .orElseGet(() -> new ProviderError("%s: %s".formatted(doing, reason(failure)), failure));
    }

    /// Whether the engine gave no answer at all.
    static boolean isUnreachable(Throwable failure) {
        return !(failure instanceof DockerException)
                && find(failure, IOException.class)
                        .filter(io -> !(io instanceof JsonProcessingException))
                        .isPresent();
    }

    /// Whether the engine refused the version of the API, and so the request as a whole: it was replaced while we ran.
    static boolean isVersionRefused(DockerException answer) {
        return answer.getHttpStatus() == 400 && message(answer).contains("client version");
    }

    BackendUnavailable unreachable(String reason, Throwable cause) {
        return new BackendUnavailable("docker engine at %s cannot be reached: %s".formatted(endpoint, reason), cause);
    }

    BackendUnavailable unreachable(String reason) {
        return new BackendUnavailable("docker engine at %s cannot be reached: %s".formatted(endpoint, reason));
    }

    private static GatewayException refused(String doing, int status, String message) {
        String detail = "%s: %s".formatted(doing, message);
        // It was there when it was looked for, and somebody removed it since: who tries again gets a new one.
        if (status == 404 && message.contains("No such container")) return new BackendUnavailable(detail);
        if (status == 409) return new Conflict(detail);
        // The engine's machine ran out of the memory that the row's config grants; the engine calls that its own fault.
        if (message.contains("memory limit too low")) return new Unsupported(detail);
        if (message.contains("storage-opt") || message.contains("storage opt")) return new Unsupported(noQuota(detail));
        return status >= 400 && status < 500 && status != 401 && status != 403
                ? new Unsupported(detail)
                : new ProviderError(detail);
    }

    /// Which engines can limit a container's layer is the engine's business, and it says so as an error of its own.
    private static String noQuota(String detail) {
        return "rootfs_limit is not possible on this engine: " + detail;
    }

    /// The engine's own sentence out of `Status 400: {"message":"…"}`.
    static String message(DockerException answer) {
        String text = String.valueOf(answer.getMessage());
        int brace = text.indexOf('{');
        if (brace >= 0) {
            try {
                String inner =
                        JSON.readTree(text.substring(brace)).path("message").asText("");
                if (!inner.isEmpty()) return shorten(inner);
            } catch (JsonProcessingException _) {
                // Not the engine's own error document, e.g. a proxy's page: shown as it is.
            }
        }
        return shorten(text);
    }

    private static String shorten(String text) {
        String line = text.strip().replaceAll("\\s*[\\r\\n]+\\s*", " ");
        return line.length() > LONGEST ? line.substring(0, LONGEST) + "…" : line;
    }

    private static String reason(Throwable failure) {
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : shorten(failure.getMessage());
    }

    private static <T extends Throwable> Optional<T> find(Throwable failure, Class<T> type) {
        for (Throwable each = failure; each != null; each = each.getCause())
            if (type.isInstance(each)) return Optional.of(type.cast(each));
        return Optional.empty();
    }
}
