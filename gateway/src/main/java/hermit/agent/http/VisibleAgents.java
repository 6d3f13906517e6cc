package hermit.agent.http;

import hermit.http.Request;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// Which agents a request's caller may see in a list.
@FunctionalInterface
public interface VisibleAgents {
    /// Their uids; empty where that is all of them.
    Optional<Set<UUID>> to(Request request);
}
