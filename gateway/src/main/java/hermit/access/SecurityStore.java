package hermit.access;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// How the policies are kept: one for each live agent, made with it.
public interface SecurityStore {
    Optional<SecurityPolicy> find(UUID agentUid);

    /// False if there is no such live agent. The agent's config version stays as it is.
    boolean update(UUID agentUid, SecurityPolicy policy, Instant now);
}
