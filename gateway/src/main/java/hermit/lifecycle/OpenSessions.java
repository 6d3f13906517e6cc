package hermit.lifecycle;

import java.util.UUID;

/// Whether anybody is in conversation with an agent.
@FunctionalInterface
public interface OpenSessions {
    boolean hasOpen(UUID agentUid);
}
