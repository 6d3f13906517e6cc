package hermit.turn;

import hermit.agent.AgentId;
import hermit.session.Author;
import hermit.session.SessionId;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/// The answer to one message.
///
/// - `messageSeq`: the message's number in its session's log.
/// - `author`: of the message. All that the turn calls is called as them.
/// - `end`: empty while it waits or runs.
public record Turn(
        TurnId id,
        UUID agentUid,
        AgentId agent,
        SessionId session,
        long messageSeq,
        Author author,
        State state,
        int steps,
        Usage usage,
        Instant createdAt,
        Optional<Instant> startedAt,
        Optional<End> end) {

    public enum State {
        /// Another turn of the session comes first.
        QUEUED,
        RUNNING,
        ENDED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// How a turn can end.
    public enum Reason {
        /// The model has nothing more to call.
        DONE,
        /// Somebody has asked for the end, or the session has ended.
        CANCELLED,
        /// The model has not answered, or whoever wrote the message may not talk to the agent any more.
        ERROR,
        MAX_STEPS,
        MAX_TIME,
        /// The gateway went away in the middle. What was under way is not begun again.
        INTERRUPTED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// - `detail`: what there is to say beyond the reason.
    public record End(Instant at, Reason reason, Optional<String> detail) {}
}
