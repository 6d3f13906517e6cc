package hermit.http;

import org.jspecify.annotations.Nullable;

/// What a client of JSON-RPC calls its request: a text, a number or null. Given back exactly as it came.
record RpcId(@Nullable Object value) {
    /// Where it could not be read.
    static final RpcId NONE = new RpcId(null);

    static boolean isOne(@Nullable Object value) {
        return value == null || value instanceof String || value instanceof Number;
    }
}
