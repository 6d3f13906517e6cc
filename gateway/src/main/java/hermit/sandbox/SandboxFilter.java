package hermit.sandbox;

import hermit.agent.AgentId;
import hermit.exec.BackendType;
import java.util.Optional;

/// Which rows of all agents to list. `status` is `pending`, `provisioned` or `deleted`; silent means every live row.
public record SandboxFilter(Optional<BackendType> type, Optional<String> status, Optional<AgentId> agent) {
    public static final SandboxFilter ALL = new SandboxFilter(Optional.empty(), Optional.empty(), Optional.empty());
}
