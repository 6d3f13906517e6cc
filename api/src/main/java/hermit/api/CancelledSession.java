package hermit.api;

import java.util.List;
import java.util.UUID;

/// What one call has cancelled in a session. The commands and turns end a little later.
public record CancelledSession(List<UUID> execIds, List<UUID> approvalIds, List<UUID> turnIds) {
    public CancelledSession {
        execIds = List.copyOf(execIds);
        approvalIds = List.copyOf(approvalIds);
        turnIds = List.copyOf(turnIds);
    }
}
