package hermit.backend.keeper;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Reads a payload of fields, strictly: what is missing, repeated, of a wrong size or unknown makes the frame a bad
/// one.
///
/// ```java
/// var fields = FieldsReader.of(payload);
/// long pid = fields.number(1, Integer.MAX_VALUE);
/// fields.finish();
/// ```
final class FieldsReader {
    private final Map<Integer, List<ByteBuffer>> unread;

    private FieldsReader(Map<Integer, List<ByteBuffer>> unread) {
        this.unread = unread;
    }

    static FieldsReader of(ByteBuffer payload) throws BadFrame {
        var fields = new HashMap<Integer, List<ByteBuffer>>();
        var rest = payload.slice();
        while (rest.hasRemaining()) {
            if (rest.remaining() < 1 + Integer.BYTES) throw new BadFrame("a field is cut short");
            int tag = Byte.toUnsignedInt(rest.get());
            long length = Integer.toUnsignedLong(rest.getInt());
            if (length > rest.remaining()) throw new BadFrame("field %d runs over the end".formatted(tag));
            fields.computeIfAbsent(tag, _ -> new ArrayList<>(1)).add(rest.slice(rest.position(), (int) length));
            rest.position(rest.position() + (int) length);
        }
        return new FieldsReader(fields);
    }

    /// Whether a field that may be left out is there.
    boolean has(int tag) {
        return unread.containsKey(tag);
    }

    /// A number from 0 to `most`.
    long number(int tag, long most) throws BadFrame {
        long value = sized(tag, Long.BYTES).getLong();
        if (value < 0 || value > most)
            throw new BadFrame("field %d is %s, more than %d".formatted(tag, Long.toUnsignedString(value), most));
        return value;
    }

    boolean bool(int tag) throws BadFrame {
        return number(tag, 1) == 1;
    }

    /// Bytes of exactly this size.
    ByteBuffer sized(int tag, int size) throws BadFrame {
        var bytes = only(tag);
        if (bytes.remaining() != size)
            throw new BadFrame("field %d has %d bytes in place of %d".formatted(tag, bytes.remaining(), size));
        return bytes;
    }

    /// A text for people, as it may be put into a log or an answer: cut at `most` bytes, and what is not printable
    /// replaced.
    String prose(int tag, int most) throws BadFrame {
        var bytes = only(tag);
        var text = StandardCharsets.UTF_8.decode(bytes.slice(0, Math.min(most, bytes.remaining())));
        var clean = new StringBuilder();
        text.codePoints().forEach(c -> clean.appendCodePoint(isPlain(c) ? c : '?'));
        return clean.toString();
    }

    private static boolean isPlain(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    /// All of a repeated field, in order; maybe none.
    List<ByteBuffer> list(int tag) {
        var values = unread.remove(tag);
        return values == null ? List.of() : values;
    }

    /// To be called when all has been asked for: fields that nobody asked for make the frame a bad one.
    void finish() throws BadFrame {
        if (!unread.isEmpty()) throw new BadFrame("unknown fields " + unread.keySet());
    }

    private ByteBuffer only(int tag) throws BadFrame {
        var values = list(tag);
        if (values.isEmpty()) throw new BadFrame("field %d is missing".formatted(tag));
        if (values.size() > 1) throw new BadFrame("field %d is there more than once".formatted(tag));
        return values.getFirst();
    }
}
