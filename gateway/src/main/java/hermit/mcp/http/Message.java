package hermit.mcp.http;

import hermit.problem.GatewayException.Invalid;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What a client has posted: one message of JSON-RPC 2.0.
sealed interface Message {
    /// The longest text that names a request or its progress. Clients count, or use 36 characters; a name is repeated
    /// in every message about what it names.
    int LONGEST_NAME = 256;

    /// Asks for an answer. `id`: a text or a whole number, which comes back exactly.
    record Request(Object id, String method, Params params) implements Message {}

    record Notification(String method, Params params) implements Message {}

    /// The answer to something that the gateway has asked. It asks nothing, so nobody waits for it.
    record Response() implements Message {}

    /// Throws [Invalid] for what is no message.
    static Message read(Map<String, Object> document) {
        if (!"2.0".equals(document.get("jsonrpc"))) throw new Invalid("jsonrpc", "must be \"2.0\"");
        Object method = document.get("method");
        if (method == null && (document.containsKey("result") || document.containsKey("error"))) return new Response();
        if (!(method instanceof String name)) throw new Invalid("method", "must be a text");
        var params = new Params(object(document, "params").orElse(Map.of()));
        if (!document.containsKey("id")) return new Notification(name, params);
        Object id = name(document.get("id"))
                .orElseThrow(() -> new Invalid(
                        "id", "must be a whole number or a text of at most %d characters".formatted(LONGEST_NAME)));
        return new Request(id, name, params);
    }

    /// What a message is about. The protocol grows, so what is not known is no mistake.
    record Params(Map<String, Object> values) {
        /// Throws [Invalid].
        String text(String name) {
            return optionalText(name).orElseThrow(() -> new Invalid("params." + name, "is required"));
        }

        /// Throws [Invalid] for a value that is no text.
        Optional<String> optionalText(String name) {
            Object value = values.get(name);
            if (value == null) return Optional.empty();
            if (value instanceof String text) return Optional.of(text);
            throw new Invalid("params." + name, "must be a text");
        }

        /// Empty if it is not there. Throws [Invalid] for a value that is no object.
        Map<String, Object> object(String name) {
            return Message.object(values, name).orElse(Map.of());
        }

        /// The id of the request that a notification is about.
        Optional<Object> requestId() {
            return name(values.get("requestId"));
        }

        /// What a client gives to be told of progress.
        Optional<Object> progressToken() {
            return name(object("_meta").get("progressToken"));
        }
    }

    /// Empty for what cannot be one.
    private static Optional<Object> name(@Nullable Object value) {
        return switch (value) {
            case Long number -> Optional.of(number);
            case String text when text.length() <= LONGEST_NAME -> Optional.of(text);
            case null, default -> Optional.empty();
        };
    }

    private static Optional<Map<String, Object>> object(Map<String, Object> values, String name) {
        Object value = values.get(name);
        if (value == null) return Optional.empty();
        if (!(value instanceof Map<?, ?> map)) throw new Invalid(name, "must be an object");
        var object = new LinkedHashMap<String, Object>();
        map.forEach((key, each) -> object.put(String.valueOf(key), each));
        return Optional.of(object);
    }
}
