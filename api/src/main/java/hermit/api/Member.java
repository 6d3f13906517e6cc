package hermit.api;

import java.time.Instant;

/// A person with a role at an agent: `owner`, `user` or `guest`.
public record Member(User user, String role, Instant since) {}
