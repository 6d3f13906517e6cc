package hermit.backend.keeper;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;

/// Writes a payload of fields: tag, length, bytes.
final class FieldsWriter {
    private static final int FIELD_HEADER = 5;

    private byte[] bytes = new byte[1024];
    private int size;

    FieldsWriter number(int tag, long value) {
        header(tag, Long.BYTES).putLong(value);
        return this;
    }

    FieldsWriter id(int tag, UUID id) {
        header(tag, 2 * Long.BYTES).putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
        return this;
    }

    FieldsWriter text(int tag, String text) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        header(tag, encoded.length).put(encoded);
        return this;
    }

    byte[] bytes() {
        return Arrays.copyOf(bytes, size);
    }

    private ByteBuffer header(int tag, int length) {
        int needed = Math.addExact(size, Math.addExact(FIELD_HEADER, length));
        if (needed > bytes.length) bytes = Arrays.copyOf(bytes, Math.max(needed, 2 * bytes.length));
        var at = ByteBuffer.wrap(bytes, size, needed - size).put((byte) tag).putInt(length);
        size = needed;
        return at;
    }
}
