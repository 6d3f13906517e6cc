package hermit.api;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// The answer to a message.
///
/// - `messageId`: the number of the message's event.
/// - `author`: who has written the message, and as whom tools are called.
/// - `state`: `queued`, `running` or `ended`.
/// - `reason`: how it ended: `done`, `cancelled`, `error`, `max_steps`, `max_time` or `interrupted`;
///   `detail` says
/// more.
/// - `text`: what the model has said last; empty while it has said nothing.
public record Turn(
        UUID id,
        long messageId,
        String author,
        String state,
        Optional<String> reason,
        Optional<String> detail,
        String text,
        int steps,
        TokenUsage usage,
        Instant createdAt,
        Optional<Instant> startedAt,
        Optional<Instant> endedAt) {}
