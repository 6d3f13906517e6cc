package hermit.api;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.Optional;

/// Why a call over JSON-RPC was refused or failed.
///
/// - `code`: by JSON-RPC 2.0, -32700 to -32600; -32000 for every problem that it has no number for.
/// - `message`: for people.
public record RpcError(int code, String message, Data data) {
    /// The problem that a request of HTTP would be answered with.
    ///
    /// - `retryAfter`: in seconds, where it makes sense to try again.
    public record Data(@JsonUnwrapped Problem problem, Optional<Long> retryAfter) {}
}
