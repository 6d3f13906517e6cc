package hermit.turn;

import hermit.problem.Documents;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// What a model is told of a call that it has asked for.
///
/// - `failed`: the call was not carried out, or nobody knows; `document` says why.
public record CallResult(UUID call, String tool, Map<String, Object> document, boolean failed) {
    public CallResult {
        document = Documents.copyOf(document);
    }

    /// Of what has failed: why, in a word.
    Optional<String> code() {
        return failed && document.get("error") instanceof Map<?, ?> error
                ? Optional.of(String.valueOf(error.get("code")))
                : Optional.empty();
    }

    static CallResult failure(WantedCall call, String code, String detail) {
        return new CallResult(call.id(), call.tool(), Map.of("error", Map.of("code", code, "detail", detail)), true);
    }
}
