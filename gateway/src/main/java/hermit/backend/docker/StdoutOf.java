package hermit.backend.docker;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/// The stdout in an engine's stream of two: each piece has a header of 8 bytes, the first of which says
/// whose it is and the last four how long it is. What is printed to stderr becomes the reason when the
/// stream ends.
final class StdoutOf extends InputStream {
    private static final int HEADER = 8;
    private static final int STDOUT = 1;
    /// Of stderr, for a message.
    private static final int MOST_COMPLAINT = 500;

    private final InputStream in;
    private final StringBuilder complaint = new StringBuilder();
    private int left;

    StdoutOf(InputStream in) {
        this.in = in;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        if (length == 0) return 0;
        while (left == 0) if (!next()) return -1;
        int got = in.read(bytes, offset, Math.min(length, left));
        if (got < 0) throw new EOFException("the engine's stream ended in the middle of a piece");
        left -= got;
        return got;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    /// Goes to the next piece of stdout. False at the end.
    private boolean next() throws IOException {
        byte[] header = in.readNBytes(HEADER);
        if (header.length == 0) {
            if (!complaint.isEmpty())
                throw new EOFException(complaint.toString().strip());
            return false;
        }
        if (header.length < HEADER) throw new EOFException("the engine's stream ended in the middle of a header");
        int length = ByteBuffer.wrap(header).getInt(HEADER - Integer.BYTES);
        if (length < 0) throw new IOException("the engine sent a piece of %d bytes".formatted(length));
        if (header[0] == STDOUT) {
            left = length;
            return true;
        }
        complain(length);
        return true;
    }

    private void complain(int length) throws IOException {
        int kept = Math.min(length, MOST_COMPLAINT);
        String text = new String(in.readNBytes(kept), StandardCharsets.UTF_8);
        in.skipNBytes(length - kept);
        if (complaint.length() < MOST_COMPLAINT) complaint.append(text);
    }
}
