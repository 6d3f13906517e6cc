package hermit.command;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/// One stream of one command in memory, bounded whatever is printed: the beginning up to the answer's cap, and a ring
/// of the latest bytes for followers. Guarded by its owner.
final class OutputBuffer {
    /// What a follower may be behind before it misses something.
    static final int RING = 1 << 20;

    private static final int FIRST_RING = 32 << 10;

    private final int cap;
    private byte[] head = new byte[0];
    private int headLength;
    private boolean headClosed;
    private byte[] ring = new byte[0];
    private long ringStart;
    private long total;

    OutputBuffer(int cap) {
        this.cap = cap;
    }

    /// A piece that starts at `offset` of its stream.
    @SuppressWarnings("ArrayRecordComponent")
    record Piece(long offset, byte[] bytes) {}

    /// Adds bytes. An offset beyond the end means that what lies between is lost; one before it, that these bytes are
    /// known already.
    void append(long offset, ByteBuffer bytes) {
        if (offset > total) {
            headClosed = true;
            ringStart = offset;
            total = offset;
        }
        int known = (int) Math.min(total - offset, bytes.remaining());
        bytes.position(bytes.position() + known);
        keepHead(bytes.duplicate());
        keepRing(bytes);
    }

    /// Up to `max` bytes from `from` on. Empty if there is nothing yet; a piece that starts later than
    /// `from` tells of a gap.
    Optional<Piece> read(long from, int max) {
        if (from >= total) return Optional.empty();
        if (from < headLength)
            return Optional.of(new Piece(
                    from, Arrays.copyOfRange(head, (int) from, Math.min(headLength, (int) from + max))));
        long start = Math.max(from, ringStart);
        int length = (int) Math.min(max, total - start);
        byte[] bytes = new byte[length];
        for (int done = 0; done < length; ) {
            int at = (int) ((start + done) % ring.length);
            int run = Math.min(length - done, ring.length - at);
            System.arraycopy(ring, at, bytes, done, run);
            done += run;
        }
        return Optional.of(new Piece(start, bytes));
    }

    /// How many more bytes fit before a reader that has come to `position` would miss some.
    long room(long position) {
        return RING - (total - Math.max(position, 0));
    }

    byte[] head() {
        return Arrays.copyOf(head, headLength);
    }

    long total() {
        return total;
    }

    /// The stream's length as its producer counted it; bytes that never came are lost.
    void endAt(long length) {
        if (length <= total) return;
        headClosed = true;
        total = length;
        ringStart = length;
    }

    private void keepHead(ByteBuffer bytes) {
        int take = headClosed ? 0 : Math.min(cap - headLength, bytes.remaining());
        if (take <= 0) return;
        if (head.length < headLength + take)
            head = Arrays.copyOf(head, Math.min(cap, Math.max(headLength + take, head.length * 2)));
        bytes.get(head, headLength, take);
        headLength += take;
    }

    private void keepRing(ByteBuffer bytes) {
        int excess = bytes.remaining() - RING;
        if (excess > 0) {
            bytes.position(bytes.position() + excess);
            total += excess;
            ringStart = total;
        }
        grow(bytes.remaining());
        while (bytes.hasRemaining()) {
            int at = (int) (total % ring.length);
            int run = Math.min(bytes.remaining(), ring.length - at);
            bytes.get(ring, at, run);
            total += run;
        }
        ringStart = Math.max(ringStart, total - ring.length);
    }

    private void grow(int more) {
        long wanted = total - ringStart + more;
        if (wanted <= ring.length || ring.length == RING) return;
        int size = Math.max(ring.length, FIRST_RING);
        while (size < wanted && size < RING) size *= 2;
        byte[] larger = new byte[size];
        for (long each = ringStart; each < total; each++)
            larger[(int) (each % size)] = ring[(int) (each % ring.length)];
        ring = larger;
    }
}
