package hermit.exec;

import java.util.Optional;
import java.util.UUID;

/// The name of one command, a version-7 UUID: its first 48 bits are the milliseconds at which it was made, so that a
/// keeper that has
/// forgotten old ids can still refuse them.
public record ExecId(UUID value) {
    public static Optional<ExecId> parse(String text) {
        return Uuids.parse(text).map(ExecId::new);
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
