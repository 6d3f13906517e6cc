package hermit.turn;

import hermit.exec.Uuids;
import java.util.Optional;
import java.util.UUID;

/// Names a turn.
public record TurnId(UUID value) {
    public static Optional<TurnId> parse(String text) {
        return Uuids.parse(text).map(TurnId::new);
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
