package hermit.session;

import hermit.problem.Documents;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// A conversation.
///
/// - `via`: the channel that vouched for the owner when it was opened, and as whom; only that one may go on
///   speaking for them.
/// - `source`, `metadata`: what the client told of itself. Information only, nothing is decided by it.
/// - `lastSeq`: the number of its newest event; 0 while there is none.
/// - `lastActiveAt`: when something was last said or done.
/// - `end`: empty while it is open.
public record Session(
        SessionId id,
        UUID agentUid,
        Author owner,
        Optional<Via> via,
        Map<String, Object> source,
        Map<String, Object> metadata,
        long lastSeq,
        Instant createdAt,
        Instant lastActiveAt,
        Optional<End> end) {
    public Session {
        source = Documents.copyOf(source);
        metadata = Documents.copyOf(metadata);
    }

    /// A channel, and who somebody is there.
    public record Via(String channel, String channelUserId) {}

    public Optional<String> channel() {
        return via.map(Via::channel);
    }

    /// When and why it ended. One that is opened again has no end any more.
    public record End(Instant at, String reason) {}

    public boolean isOpen() {
        return end.isEmpty();
    }

    /// `open` or `ended`.
    public String state() {
        return isOpen() ? "open" : "ended";
    }
}
