package hermit.fake;

import java.time.Duration;
import java.util.Map;

/// Something that a fake does wrong on purpose.
///
/// - `operation`: what it strikes, in the provider's own words, e.g. `create` or `exec`.
/// - `times`: how often before all is well again.
public record Fault(String operation, Kind kind, int times) {
    public Fault {
        if (times < 1) throw new IllegalArgumentException("times must be 1 or more");
    }

    public sealed interface Kind {
        /// Answers so, and does nothing.
        record Answer(int status, Map<String, String> headers, String body) implements Kind {
            public Answer {
                headers = Map.copyOf(headers);
            }
        }

        /// Does the work, and never answers.
        record Stall() implements Kind {}

        /// Does the work, and closes the connection instead of an answer.
        record Lose() implements Kind {}

        /// Waits before anything else.
        record Delay(Duration by) implements Kind {}

        /// Closes a stream after so many bytes.
        record Cut(int after) implements Kind {}

        /// What only one provider can do wrong, by name, e.g. `changed_id`.
        record Special(String name) implements Kind {}
    }
}
