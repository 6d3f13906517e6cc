package hermit.backend.keeper;

import hermit.exec.OutputStreamKind;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// A run of output that waits for the sink. Short ones that follow one another become one, so that a command that
/// prints single bytes costs neither a call nor an object for each.
final class Piece {
    private static final int MOST_JOINED = 64 << 10;

    private final OutputStreamKind stream;
    private final long offset;
    private byte[] array;
    private final int start;
    private int end;

    /// Takes over the buffer's array.
    Piece(OutputStreamKind stream, long offset, ByteBuffer bytes) {
        this.stream = stream;
        this.offset = offset;
        this.array = bytes.array();
        this.start = bytes.arrayOffset() + bytes.position();
        this.end = start + bytes.remaining();
    }

    OutputStreamKind stream() {
        return stream;
    }

    /// Of the first byte within its stream.
    long offset() {
        return offset;
    }

    int size() {
        return end - start;
    }

    ByteBuffer bytes() {
        return ByteBuffer.wrap(array, start, size());
    }

    /// Adds what follows directly. False, and nothing done, if it does not follow or would become too long.
    boolean join(long at, ByteBuffer more) {
        int length = more.remaining();
        if (at != offset + size() || size() + length > MOST_JOINED) return false;
        if (end + length > array.length) array = Arrays.copyOf(array, Math.max(end + length, 2 * array.length));
        more.get(array, end, length);
        end += length;
        return true;
    }
}
