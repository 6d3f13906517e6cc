package hermit.problem;

import java.util.Locale;

/// The closed set of `code`s of a problem, each with its HTTP status. Programs branch on the code, people read the
/// detail.
public enum ProblemCode {
    INVALID(400, "The request is not valid"),
    CWD_NOT_FOUND(400, "The working directory does not exist"),
    UNAUTHENTICATED(401, "Authentication is required"),
    FORBIDDEN(403, "Not allowed"),
    JOIN_REQUIRED(403, "Membership is required"),
    NOT_FOUND(404, "Not found"),
    CONFLICT(409, "Conflict"),
    NO_SANDBOX(409, "The agent has no such sandbox"),
    BUSY(409, "The sandbox is busy"),
    NAME_TAKEN(409, "The container's name is taken"),
    OTHER_HOST(409, "The sandbox lives on another host"),
    ALREADY_DECIDED(409, "Already decided"),
    TOO_LARGE(413, "Too large"),
    UNSUPPORTED_MEDIA(415, "The media type is not supported"),
    WRONG_HOST(421, "This host name is not served here"),
    UNSUPPORTED(422, "Not supported here"),
    MISSING_CREDENTIAL(424, "A credential is missing"),
    RATE_LIMITED(429, "Too many requests"),
    INTERNAL(500, "Internal error"),
    NOT_AVAILABLE(501, "Not available yet"),
    PROVIDER_ERROR(502, "The provider answered with an error"),
    BACKEND_UNAVAILABLE(503, "The backend is unavailable");

    private final int status;
    private final String title;

    ProblemCode(int status, String title) {
        this.status = status;
        this.title = title;
    }

    /// HTTP status, e.g. 409.
    public int status() {
        return status;
    }

    /// A short sentence that is the same for every problem of this code.
    public String title() {
        return title;
    }

    /// As it travels in JSON, e.g. `no_sandbox`.
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
