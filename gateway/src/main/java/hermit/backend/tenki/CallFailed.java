package hermit.backend.tenki;

import hermit.problem.GatewayException;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.MissingCredential;
import hermit.problem.GatewayException.ProviderError;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A call that ended with another status than OK. What is plain HTTP, because something before Tenki's own server
/// answered, comes as a status with a text that begins with `HTTP status code`.
final class CallFailed extends Exception {
    private static final int LONGEST_TEXT = 300;
    private static final Pattern NOT_PLAIN = Pattern.compile("[^\\P{C}]+");
    /// Nobody should say a key back to us; should somebody, it ends here.
    private static final Pattern KEY = Pattern.compile("tk_[A-Za-z0-9._-]+");

    private static final Pattern PAUSED = Pattern.compile("state\\s*=\\s*paused");
    private static final Metadata.Key<String> RETRY_AFTER =
            Metadata.Key.of("retry-after", Metadata.ASCII_STRING_MARSHALLER);
    private static final int LONGEST_RETRY_AFTER = 3_600;

    private final Status.Code code;
    private final String text;
    private final Optional<Duration> retryAfter;

    private CallFailed(Status.Code code, String text, Optional<Duration> retryAfter) {
        super("%s: %s".formatted(code, text));
        this.code = code;
        this.text = text.toLowerCase(Locale.ROOT);
        this.retryAfter = retryAfter;
    }

    /// The exception that a status may carry is left out: it says nothing more, and is none of ours.
    static CallFailed of(Status status, Metadata trailers) {
        return new CallFailed(status.getCode(), plain(status.getDescription()), retryAfter(trailers));
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }

    Status.Code code() {
        return code;
    }

    boolean isUnauthenticated() {
        return code == Status.Code.UNAUTHENTICATED;
    }

    /// There is no such session; an id that Tenki would never give is none either.
    boolean isNoSession() {
        return (code == Status.Code.NOT_FOUND && !text.contains("no such file"))
                || (code == Status.Code.INVALID_ARGUMENT && text.contains("session_id"));
    }

    /// The session has ended or is paused, so that waiting will not help.
    boolean isOutOfService() {
        return code == Status.Code.FAILED_PRECONDITION
                && (text.contains("terminated") || PAUSED.matcher(text).find());
    }

    boolean isPrecondition() {
        return code == Status.Code.FAILED_PRECONDITION;
    }

    /// The provider's edge does not know the way to a machine yet. A guest that lacks a method has the same code.
    boolean isNoRoute() {
        return code == Status.Code.UNIMPLEMENTED && text.contains("http status code 404");
    }

    boolean isUnimplemented() {
        return code == Status.Code.UNIMPLEMENTED && !isNoRoute();
    }

    /// Asked too often; certainly not done.
    boolean isTooOften() {
        return text.contains("http status code 429")
                || (code == Status.Code.RESOURCE_EXHAUSTED && text.contains("rate limit"));
    }

    Optional<Duration> retryAfter() {
        return retryAfter;
    }

    /// The transport has turned it away before anything of it was done. That a connection was shut down does not say
    /// so much: it may have been under way on it.
    boolean isRefused() {
        return code == Status.Code.UNAVAILABLE
                && (text.contains("refused_stream") || text.contains("closed unsent stream"));
    }

    /// May be better in a moment. Whether it was done is not known.
    boolean isPassing() {
        return switch (code) {
            case UNAVAILABLE, DEADLINE_EXCEEDED, ABORTED, CANCELLED -> true;
            // A reset, or a plain 500.
            case INTERNAL, UNKNOWN -> text.contains("http status code 5") || text.contains("rst_stream");
            default -> false;
        };
    }

    /// For a call of the control plane; `tried` says what it was to do.
    GatewayException toGateway(String tried) {
        String detail = "%s: Tenki says %s".formatted(tried, getMessage());
        if (isUnauthenticated())
            return new MissingCredential(
                    tried + ": Tenki does not accept the key in TENKI_AUTH_TOKEN (or TENKI_API_KEY)");
        if (isTooOften()) return new BackendUnavailable(detail, this);
        if (code == Status.Code.RESOURCE_EXHAUSTED && text.contains("capacity"))
            return new BackendUnavailable(detail, this);
        return isPassing() ? new BackendUnavailable(detail, this) : new ProviderError(detail, this);
    }

    static String plain(@Nullable String text) {
        if (text == null) return "(nothing)";
        String plain = KEY.matcher(NOT_PLAIN.matcher(text).replaceAll(" "))
                .replaceAll("tk_(hidden)")
                .strip();
        return plain.length() > LONGEST_TEXT ? plain.substring(0, LONGEST_TEXT) : plain;
    }

    private static Optional<Duration> retryAfter(Metadata trailers) {
        try {
            String value = trailers.get(RETRY_AFTER);
            if (value == null) return Optional.empty();
            int seconds = Integer.parseInt(value.strip());
            return seconds < 0 || seconds > LONGEST_RETRY_AFTER
                    ? Optional.empty()
                    : Optional.of(Duration.ofSeconds(seconds));
        } catch (NumberFormatException e) {
            return Optional.empty(); // a date, which Tenki was never seen to send
        }
    }
}
