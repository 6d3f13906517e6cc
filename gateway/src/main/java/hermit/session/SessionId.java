package hermit.session;

import hermit.exec.Uuids;
import java.util.Optional;
import java.util.UUID;

/// Names a session. Cannot be guessed, and gives no right by itself.
public record SessionId(UUID value) {
    public static Optional<SessionId> parse(String text) {
        return Uuids.parse(text).map(SessionId::new);
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
