package hermit.http;

import hermit.api.RpcError;
import hermit.problem.ProblemCode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What the gateway says in JSON-RPC 2.0.
final class RpcMessages {
    static final int PARSE_ERROR = -32_700;
    static final int INVALID_REQUEST = -32_600;
    static final int METHOD_NOT_FOUND = -32_601;
    static final int INVALID_PARAMS = -32_602;
    static final int INTERNAL_ERROR = -32_603;
    /// The first of those that JSON-RPC leaves to servers.
    static final int PROBLEM = -32_000;

    private RpcMessages() {}

    static Map<String, Object> result(RpcId id, Optional<?> result) {
        return answer(id, "result", result.orElse(null));
    }

    static Map<String, Object> error(RpcId id, RpcError error) {
        return answer(id, "error", error);
    }

    static Map<String, Object> notification(String method, Object params) {
        var message = new LinkedHashMap<String, Object>();
        message.put("jsonrpc", "2.0");
        message.put("method", method);
        message.put("params", params);
        return message;
    }

    /// Of a message that is no request. `code`: by JSON-RPC 2.0.
    static RpcError malformed(int code, String why) {
        return error(code, Problems.of(ProblemCode.INVALID, ProblemCode.INVALID.status(), why, Map.of()));
    }

    static RpcError noSuchMethod() {
        return error(
                METHOD_NOT_FOUND,
                Problems.of(
                        ProblemCode.NOT_FOUND, ProblemCode.NOT_FOUND.status(), "There is no such method", Map.of()));
    }

    static RpcError problem(Problems.Answer why) {
        return error(
                switch (why.problem().status()) {
                    case 400 -> INVALID_PARAMS;
                    case 500 -> INTERNAL_ERROR;
                    default -> PROBLEM;
                },
                why);
    }

    private static RpcError error(int code, Problems.Answer why) {
        Optional<Long> retryAfter =
                Optional.ofNullable(why.headers().get("Retry-After")).map(Long::valueOf);
        return new RpcError(code, why.problem().detail(), new RpcError.Data(why.problem(), retryAfter));
    }

    @SuppressWarnings("NullAway") // null is a value of JSON: of an id that could not be read, of nothing to say
    private static Map<String, Object> answer(RpcId id, String name, @Nullable Object value) {
        var message = new LinkedHashMap<String, Object>();
        message.put("jsonrpc", "2.0");
        message.put("id", id.value());
        message.put(name, value);
        return message;
    }
}
