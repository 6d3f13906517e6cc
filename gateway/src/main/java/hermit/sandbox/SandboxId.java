package hermit.sandbox;

import hermit.exec.Uuids;
import java.util.Optional;
import java.util.UUID;

/// The key of a row. Time-ordered, so that lists are stable and new rows come last.
public record SandboxId(UUID value) {
    public static Optional<SandboxId> parse(String text) {
        return Uuids.parse(text).map(SandboxId::new);
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
