package hermit.approval;

import hermit.exec.Uuids;
import hermit.problem.GatewayException.NotFound;
import java.util.Optional;
import java.util.UUID;

/// Names an approval. Gives no right by itself.
public record ApprovalId(UUID value) {
    public static Optional<ApprovalId> parse(String text) {
        return Uuids.parse(text).map(ApprovalId::new);
    }

    /// From a path: what cannot be an id cannot exist either.
    public static ApprovalId inPath(String text) {
        return parse(text).orElseThrow(() -> new NotFound("No such approval"));
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
