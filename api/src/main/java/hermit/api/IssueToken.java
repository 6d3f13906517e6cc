package hermit.api;

import java.util.Optional;
import java.util.UUID;

/// A request for a token: for one of a person, a channel and an agent, or for the caller.
public record IssueToken(
        String name,
        Optional<UUID> userId,
        Optional<String> channel,
        Optional<String> agentId,
        Optional<String> scope,
        Optional<Integer> expiresInDays) {}
