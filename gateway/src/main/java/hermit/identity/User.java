package hermit.identity;

import java.time.Instant;
import java.util.List;

/// A person that is there, with all that they are known as.
public record User(UserId id, String name, List<Identity> identities, Instant createdAt) {
    public User {
        identities = List.copyOf(identities);
    }
}
