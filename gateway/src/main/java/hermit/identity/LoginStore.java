package hermit.identity;

import java.time.Instant;
import java.util.Optional;

/// How logins and tickets are kept: by the digests of their secrets.
public interface LoginStore {
    void add(String sha256, Login.Holder holder, Instant now, Instant expiresAt);

    /// One that has not expired.
    Optional<Login.Holder> find(String sha256, Instant now);

    void remove(String sha256);

    void addTicket(String sha256, Login login, String path, Instant expiresAt);

    /// Takes a ticket for this path that has not expired; it is gone then, also when another gateway asks.
    Optional<Login> takeTicket(String sha256, String path, Instant now);

    /// Forgets what has expired.
    void prune(Instant now);
}
