package hermit.identity;

import hermit.exec.Uuids;
import hermit.problem.GatewayException.NotFound;
import java.util.Optional;
import java.util.UUID;

/// A person. Never used again.
public record UserId(UUID value) {
    public static Optional<UserId> parse(String text) {
        return Uuids.parse(text).map(UserId::new);
    }

    /// From a path: what cannot be an id cannot exist either.
    public static UserId inPath(String text) {
        return parse(text).orElseThrow(() -> new NotFound("No such user"));
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
