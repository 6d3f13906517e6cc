package hermit.problem;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Everything that the gateway refuses or fails to do, in few cases. The message says what was tried
/// and with what, never a secret. At the edge one switch turns it into problem+json.
public abstract sealed class GatewayException extends RuntimeException {
    private final ProblemCode code;

    private GatewayException(ProblemCode code, String detail, Throwable cause) {
        super(detail, cause);
        this.code = code;
    }

    private GatewayException(ProblemCode code, String detail) {
        super(detail);
        this.code = code;
    }

    public ProblemCode code() {
        return code;
    }

    public String detail() {
        return String.valueOf(getMessage());
    }

    /// Fields that are wrong; empty where it is not about fields.
    public List<FieldError> errors() {
        return List.of();
    }

    /// After which time it is worth trying again.
    public Optional<Duration> retryAfter() {
        return Optional.empty();
    }

    /// The request itself is wrong. Nothing was done.
    public static final class Invalid extends GatewayException {
        private final List<FieldError> errors;

        public Invalid(List<FieldError> errors) {
            super(ProblemCode.INVALID, describe(errors));
            this.errors = List.copyOf(errors);
        }

        public Invalid(String path, String message) {
            this(List.of(new FieldError(path, message)));
        }

        private Invalid(ProblemCode code, String path, String message) {
            super(code, path + ": " + message);
            this.errors = List.of(new FieldError(path, message));
        }

        public static Invalid cwdNotFound(String cwd) {
            return new Invalid(ProblemCode.CWD_NOT_FOUND, "cwd", "no directory '%s' in the sandbox".formatted(cwd));
        }

        @Override
        public List<FieldError> errors() {
            return errors;
        }

        private static String describe(List<FieldError> errors) {
            var text = new StringBuilder();
            for (FieldError error : errors) {
                if (!text.isEmpty()) text.append("; ");
                if (!error.path().isEmpty()) text.append(error.path()).append(": ");
                text.append(error.message());
            }
            return text.toString();
        }
    }

    public static final class Unauthenticated extends GatewayException {
        public Unauthenticated(String detail) {
            super(ProblemCode.UNAUTHENTICATED, detail);
        }
    }

    public static final class Forbidden extends GatewayException {
        public Forbidden(String detail) {
            super(ProblemCode.FORBIDDEN, detail);
        }
    }

    /// Not there, or not for you: both look the same from outside.
    public static final class NotFound extends GatewayException {
        public NotFound(String detail) {
            super(ProblemCode.NOT_FOUND, detail);
        }
    }

    /// The state of things forbids it now.
    public static final class Conflict extends GatewayException {
        private final Optional<Duration> retryAfter;

        public Conflict(String detail) {
            this(ProblemCode.CONFLICT, detail);
        }

        public Conflict(ProblemCode code, String detail) {
            super(code, detail);
            if (code.status() != 409) throw new IllegalArgumentException(code + " is not a conflict");
            this.retryAfter = Optional.empty();
        }

        public Conflict(ProblemCode code, String detail, Duration retryAfter) {
            super(code, detail);
            this.retryAfter = Optional.of(retryAfter);
        }

        @Override
        public Optional<Duration> retryAfter() {
            return retryAfter;
        }
    }

    /// The request is understood, and refused for its form: size, media type, host name.
    public static final class Refused extends GatewayException {
        public Refused(ProblemCode code, String detail) {
            super(code, detail);
        }
    }

    /// The sandbox, as configured, cannot do this.
    public static final class Unsupported extends GatewayException {
        public Unsupported(String detail) {
            super(ProblemCode.UNSUPPORTED, detail);
        }
    }

    /// The operator has not given the credential that this backend needs.
    public static final class MissingCredential extends GatewayException {
        public MissingCredential(String detail) {
            super(ProblemCode.MISSING_CREDENTIAL, detail);
        }
    }

    public static final class RateLimited extends GatewayException {
        private final Duration retryAfter;

        public RateLimited(String detail, Duration retryAfter) {
            super(ProblemCode.RATE_LIMITED, detail);
            this.retryAfter = retryAfter;
        }

        @Override
        public Optional<Duration> retryAfter() {
            return Optional.of(retryAfter);
        }
    }

    /// Planned, and not in this version.
    public static final class NotAvailable extends GatewayException {
        public NotAvailable(String detail) {
            super(ProblemCode.NOT_AVAILABLE, detail);
        }
    }

    /// The engine or cloud was reached and answered with an error that is not the caller's fault.
    public static final class ProviderError extends GatewayException {
        public ProviderError(String detail) {
            super(ProblemCode.PROVIDER_ERROR, detail);
        }

        public ProviderError(String detail, Throwable cause) {
            super(ProblemCode.PROVIDER_ERROR, detail, cause);
        }
    }

    /// The engine or cloud (or the gateway's own database) could not be reached.
    public static final class BackendUnavailable extends GatewayException {
        public BackendUnavailable(String detail) {
            super(ProblemCode.BACKEND_UNAVAILABLE, detail);
        }

        public BackendUnavailable(String detail, Throwable cause) {
            super(ProblemCode.BACKEND_UNAVAILABLE, detail, cause);
        }
    }
}
