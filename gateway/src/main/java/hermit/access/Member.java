package hermit.access;

import hermit.identity.User;
import java.time.Instant;

/// A person with a role at an agent.
public record Member(User user, Role role, Instant since) {}
