package hermit.http;

import hermit.problem.GatewayException.Invalid;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// One request of JSON-RPC 2.0.
///
/// - `id`: empty for a notification, which is carried out and never answered.
/// - `params`: by name.
record RpcRequest(Optional<RpcId> id, String method, Map<String, Object> params) {
    private static final Set<String> MEMBERS = Set.of("jsonrpc", "id", "method", "params");

    /// A message that is no request. `id`: its own, as far as that can be read.
    static final class Malformed extends Exception {
        private final transient RpcId id;
        private final int code;
        private final String detail;

        private Malformed(RpcId id, int code, String detail) {
            super(detail);
            this.detail = detail;
            this.id = id;
            this.code = code;
        }

        RpcId id() {
            return id;
        }

        /// By JSON-RPC 2.0.
        int code() {
            return code;
        }

        String detail() {
            return detail;
        }
    }

    static RpcRequest read(String text) throws Malformed {
        Map<String, Object> message = object(text);
        boolean isRequest = message.containsKey("id");
        boolean readable = RpcId.isOne(message.get("id"));
        RpcId id = readable ? new RpcId(message.get("id")) : RpcId.NONE;
        if (!readable) throw invalid(id, "id must be a text, a number or null");
        if (!"2.0".equals(message.get("jsonrpc"))) throw invalid(id, "jsonrpc must be \"2.0\"");
        if (!(message.get("method") instanceof String method)) throw invalid(id, "method must be a text");
        for (String each : message.keySet())
            if (!MEMBERS.contains(each)) throw invalid(id, "a request has no member '%s'".formatted(shown(each)));
        Object params = message.getOrDefault("params", Map.of());
        if (!(params instanceof Map<?, ?> named))
            throw new Malformed(id, RpcMessages.INVALID_PARAMS, "params must be an object: they are given by name");
        var copy = new LinkedHashMap<String, Object>();
        named.forEach((name, value) -> copy.put(String.valueOf(name), value));
        return new RpcRequest(isRequest ? Optional.of(id) : Optional.empty(), method, copy);
    }

    private static Map<String, Object> object(String text) throws Malformed {
        Optional<Map<String, Object>> object;
        try {
            object = StrictJson.objectIfOne(text.getBytes(StandardCharsets.UTF_8));
        } catch (Invalid e) {
            throw new Malformed(RpcId.NONE, RpcMessages.PARSE_ERROR, "The message cannot be read: " + e.detail());
        }
        if (object.isEmpty()) throw invalid(RpcId.NONE, "a message is one request: an object, and no batch of several");
        return object.get();
    }

    private static Malformed invalid(RpcId id, String why) {
        return new Malformed(id, RpcMessages.INVALID_REQUEST, "This is no request of JSON-RPC 2.0: " + why);
    }

    private static String shown(String name) {
        return name.length() <= 80 ? name : name.substring(0, 80) + "…";
    }
}
