package hermit.exec;

import java.time.Instant;
import java.util.Locale;

/// What the provider says of a machine right now. Never stored.
///
/// - `detail`: for people, e.g. the progress of a pull or why nothing is known; may be empty.
public record LiveState(State state, String detail, Instant observedAt) {
    public enum State {
        /// There is no machine.
        ABSENT,
        /// It is being brought up.
        STARTING,
        RUNNING,
        PAUSED,
        STOPPING,
        STOPPED,
        /// Something other than the row's own machine is there, or the provider reports an error.
        ERROR,
        /// The provider could not be asked; `detail` says why.
        UNKNOWN;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
