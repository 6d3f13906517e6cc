package hermit.identity;

import hermit.exec.Uuids;
import hermit.problem.GatewayException.NotFound;
import java.util.UUID;

/// Names a token without being one.
public record TokenId(UUID value) {
    /// From a path: what cannot be an id cannot exist either.
    public static TokenId inPath(String text) {
        return Uuids.parse(text).map(TokenId::new).orElseThrow(() -> new NotFound("No such token"));
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
