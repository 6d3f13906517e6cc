package hermit.session;

import hermit.problem.Documents;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;

/// Something that happened in a session. Never changed.
///
/// - `seq`: 1 for a session's first, and one more for each: there are no gaps.
/// - `data`: what there is to say, by the type; `author` is who did it.
public record SessionEvent(long seq, Type type, Map<String, Object> data, Instant at) {
    public enum Type {
        USER_MESSAGE,
        TEXT_DELTA,
        TEXT_FINAL,
        TOOL_CALL,
        TOOL_OUTPUT,
        TOOL_RESULT,
        APPROVAL_REQUIRED,
        APPROVAL_DECIDED,
        TURN_END,
        ERROR,
        NOTICE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// One that has no number yet.
    public record Draft(Type type, Map<String, Object> data) {
        public Draft {
            data = Documents.copyOf(data);
        }
    }

    public SessionEvent {
        data = Documents.copyOf(data);
    }
}
