package hermit.api;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// A conversation with an agent.
///
/// - `owner`: whose it is: `user:ID`, `agent:UID` or `admin`; `userId` is the person, where it is one.
/// - `channel`: the one that vouched for the owner.
/// - `state`: `open` or `ended`; `endReason`: `requested` or `idle`.
/// - `lastEventId`: the number of its newest event, 0 while there is none.
public record Session(
        UUID sessionId,
        String agentId,
        String owner,
        Optional<UUID> userId,
        Optional<String> channel,
        Map<String, Object> source,
        Map<String, Object> metadata,
        String state,
        long lastEventId,
        Instant createdAt,
        Instant lastActiveAt,
        Optional<Instant> endedAt,
        Optional<String> endReason) {}
