package hermit.access;

import hermit.agent.AgentId;
import java.util.Optional;
import java.util.UUID;

/// How one caller stands to one agent: found by one query, so that an agent that is not there and one that is not for
/// this caller take the same path.
///
/// - `role`: empty for a stranger. The admin is an owner everywhere.
public record Standing(UUID agentUid, AgentId agentId, SecurityPolicy policy, Optional<Role> role) {
    public boolean has(Role least) {
        return role.filter(each -> each.atLeast(least)).isPresent();
    }

    /// The same of one with another role.
    public Standing as(Role other) {
        return new Standing(agentUid, agentId, policy, Optional.of(other));
    }
}
