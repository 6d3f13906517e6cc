package hermit.backend.keeper;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/// Cuts a stream of bytes from the keeper into frames. Holds at most one frame and one buffer, whatever comes.
final class FrameReader {
    /// Also what one read asks for: less would cost more system calls for a command that prints a lot.
    private static final int BUFFER = 64 << 10;

    private final InputStream in;
    private final byte[] buffer = new byte[BUFFER];
    private int start;
    private int end;

    FrameReader(InputStream in) {
        this.in = in;
    }

    /// Blocks until a whole frame is there. [EOFException] if the stream ends, [BadFrame] if it is not such a stream.
    Frame read() throws IOException {
        fill(Frame.HEADER);
        var header = ByteBuffer.wrap(buffer, start, Frame.HEADER);
        long length = Integer.toUnsignedLong(header.getInt());
        if (length < Frame.COUNTED_HEADER || length > Frame.COUNTED_HEADER + Frame.MOST_PAYLOAD)
            throw new BadFrame("the keeper sent a frame of length %d".formatted(length));
        var type = FrameType.fromKeeper(Byte.toUnsignedInt(header.get()));
        int channel = header.getInt();
        start += Frame.HEADER;
        return new Frame(type, channel, ByteBuffer.wrap(payload((int) length - Frame.COUNTED_HEADER)));
    }

    private byte[] payload(int size) throws IOException {
        byte[] payload = new byte[size];
        int missing = size - (end - start);
        // A long rest goes straight to where it belongs; a short one comes together with what follows it.
        if (missing < BUFFER / 4) {
            fill(size);
            System.arraycopy(buffer, start, payload, 0, size);
            start += size;
            return payload;
        }
        int there = end - start;
        System.arraycopy(buffer, start, payload, 0, there);
        start = end;
        if (in.readNBytes(payload, there, missing) < missing) throw cutShort();
        return payload;
    }

    private void fill(int wanted) throws IOException {
        if (end - start >= wanted) return;
        if (start + wanted > BUFFER || start == end) {
            System.arraycopy(buffer, start, buffer, 0, end - start);
            end -= start;
            start = 0;
        }
        while (end - start < wanted) {
            int got = in.read(buffer, end, BUFFER - end);
            if (got < 0 && end == start) throw new EOFException("the bridge to the keeper has ended");
            if (got < 0) throw cutShort();
            end += got;
        }
    }

    private static EOFException cutShort() {
        return new EOFException("the bridge to the keeper has ended within a frame");
    }
}
