package hermit.fake.daytona;

/// A request that is answered with an error.
///
/// - `code`: the daemon's or proxy's word; empty for the main API, which has none.
/// - `source`: `DAYTONA_DAEMON` or `DAYTONA_PROXY`; empty for the main API.
final class Refused extends RuntimeException {
    private final int status;
    private final String code;
    private final String source;

    private Refused(int status, String code, String source, String message) {
        super(message);
        this.status = status;
        this.code = code;
        this.source = source;
    }

    static Refused api(int status, String message) {
        return new Refused(status, "", "", message);
    }

    static Refused daemon(int status, String code, String message) {
        return new Refused(status, code, "DAYTONA_DAEMON", message);
    }

    static Refused badRequest(String message) {
        return daemon(400, "BAD_REQUEST", "bad request: " + message);
    }

    static Refused proxy(int status, String code, String message) {
        return new Refused(status, code, "DAYTONA_PROXY", message);
    }

    int status() {
        return status;
    }

    String code() {
        return code;
    }

    String source() {
        return source;
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
