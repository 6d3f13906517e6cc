package hermit.backend.cloud;

import hermit.exec.LiveState;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/// A machine as its provider describes it.
///
/// - `state`: `PAUSED` and `STOPPED` can be resumed; `ERROR` cannot, unless the provider says otherwise to
/// [CloudClient#resume].
/// - `detail`: for people, e.g. the provider's word for the state or its reason; may be empty.
/// - `marks`: its labels or metadata.
/// - `access`: what the way into it needs (addresses, tokens); secret, never shown or stored.
public record CloudMachine(
        String id,
        LiveState.State state,
        String detail,
        Map<String, String> marks,
        Optional<Instant> createdAt,
        Map<String, String> access) {
    public CloudMachine {
        marks = Map.copyOf(marks);
        access = Map.copyOf(access);
    }

    /// Without `access`.
    @Override
    public String toString() {
        return "%s (%s %s)".formatted(id, state, detail);
    }
}
