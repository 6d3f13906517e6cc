package hermit.api;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/// A person, with all that they are known as.
public record User(UUID id, String name, List<Identity> identities, Instant createdAt) {
    public User {
        identities = List.copyOf(identities);
    }
}
