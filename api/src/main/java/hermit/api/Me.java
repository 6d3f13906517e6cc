package hermit.api;

import java.util.Optional;
import java.util.UUID;

/// Who the caller is.
///
/// - `kind`: `admin`, `user`, `channel` or `agent`.
/// - `caller`: how records name them.
/// - `createsAgents`: whether this gateway lets such callers make agents.
public record Me(
        String kind,
        String caller,
        Optional<User> user,
        Optional<String> channel,
        Optional<UUID> agentUid,
        boolean readOnly,
        boolean createsAgents) {}
