package hermit.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// The bytes of one event on their way to a client. Grows as needed, used by one thread, and gone with the event, so
/// that an idle stream holds nothing.
public final class FrameBuffer {
    private byte[] bytes;
    private int size;

    public FrameBuffer(int expected) {
        bytes = new byte[expected];
    }

    public void append(byte[] from, int offset, int length) {
        reserve(length);
        System.arraycopy(from, offset, bytes, size, length);
        size += length;
    }

    public void append(byte[] from) {
        append(from, 0, from.length);
    }

    public void append(String text) {
        append(text.getBytes(StandardCharsets.UTF_8));
    }

    public void writeTo(OutputStream out) throws IOException {
        out.write(bytes, 0, size);
    }

    private void reserve(int more) {
        int wanted = Math.addExact(size, more);
        if (wanted > bytes.length) bytes = Arrays.copyOf(bytes, Math.max(wanted, bytes.length + bytes.length / 2));
    }
}
