package hermit.identity;

import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/// A token as it is kept: everything but its secret.
///
/// - `hint`: the last four characters of the secret, so that its holder knows which one it is.
/// - `lastUsedAt`: to the minute.
public record Token(
        TokenId id,
        TokenHolder holder,
        String name,
        String hint,
        Scope scope,
        Instant createdAt,
        Optional<Instant> expiresAt,
        Optional<Instant> lastUsedAt) {
    /// What the bearer may do of what the holder may.
    public enum Scope {
        FULL,
        /// Nothing that changes anything.
        READ;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public boolean isValid(Instant now) {
        return expiresAt.filter(end -> !now.isBefore(end)).isEmpty();
    }
}
