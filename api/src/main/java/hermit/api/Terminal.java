package hermit.api;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.UUID;

/// A terminal. The fields of `summary`, its command, stand beside the others.
///
/// - `id`: the same as the command's `exec_id`.
/// - `cols`, `rows`: its size now, or the one that it was made with once it has ended.
/// - `viewers`: how many look at it through this gateway.
public record Terminal(
        UUID id,
        int cols,
        int rows,
        int viewers,
        @JsonUnwrapped ExecSummary summary) {}
