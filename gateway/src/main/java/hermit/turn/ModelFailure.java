package hermit.turn;

import java.time.Duration;
import java.util.Optional;

/// A model has not answered.
///
/// The message is for people and holds no address and no secret.
public final class ModelFailure extends Exception {
    private final boolean passing;
    private final Optional<Duration> retryAfter;

    private ModelFailure(String message, boolean passing, Optional<Duration> retryAfter) {
        super(message);
        this.passing = passing;
        this.retryAfter = retryAfter;
    }

    /// Another attempt may succeed. `retryAfter`: what the provider says about when.
    public static ModelFailure passing(String message, Optional<Duration> retryAfter) {
        return new ModelFailure(message, true, retryAfter);
    }

    /// It would be the same again.
    public static ModelFailure lasting(String message) {
        return new ModelFailure(message, false, Optional.empty());
    }

    public boolean isPassing() {
        return passing;
    }

    public Optional<Duration> retryAfter() {
        return retryAfter;
    }

    public String detail() {
        return String.valueOf(getMessage());
    }
}
