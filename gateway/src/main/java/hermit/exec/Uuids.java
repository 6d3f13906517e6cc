package hermit.exec;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/// UUIDs, exactly as written: the JDK's own parser takes `1-1-1-1-1`, too.
public final class Uuids {
    private static final Pattern SHAPE =
            Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");

    private Uuids() {}

    public static Optional<UUID> parse(String text) {
        return SHAPE.matcher(text).matches() ? Optional.of(UUID.fromString(text)) : Optional.empty();
    }

    /// A version-7 UUID (RFC 9562): time first, then random bits, so that ids made later sort later.
    public static UUID timeOrdered(Instant now, RandomGenerator random) {
        long high = (now.toEpochMilli() << 16) | 0x7000L | (random.nextLong() & 0x0FFFL);
        long low = (random.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }

    /// A version-4 UUID (RFC 9562): random from its first digit on, so that a few of its digits tell two things apart
    /// that were made in the same minute.
    public static UUID random(RandomGenerator random) {
        long high = (random.nextLong() & 0xFFFF_FFFF_FFFF_0FFFL) | 0x4000L;
        long low = (random.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }

    public static byte[] bytes(UUID id) {
        return ByteBuffer.allocate(16)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .array();
    }
}
