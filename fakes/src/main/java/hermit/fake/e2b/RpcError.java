package hermit.fake.e2b;

import java.util.Map;

/// How the daemon says that an RPC failed.
record RpcError(String code, String message) {
    static final String STREAM = "application/connect+json";

    static RpcError of(String code, String message) {
        return new RpcError(code, message);
    }

    /// Of a method with one answer: by the status.
    Refused unary() {
        return new Refused(new Answer.Whole(status(), Map.of("Content-Type", "application/json"), Json.bytes(this)));
    }

    /// Of a method with a stream: 200, and the failure in the last frame.
    Refused ended() {
        return new Refused(new Answer.Streamed(Map.of("Content-Type", STREAM), sink -> sink.write(Frames.end(this))));
    }

    private int status() {
        return switch (code) {
            case "invalid_argument" -> 400;
            case "unauthenticated" -> 401;
            case "not_found" -> 404;
            case "already_exists" -> 409;
            case "unimplemented" -> 501;
            case "unavailable" -> 503;
            default -> 500;
        };
    }
}
