package hermit.command.http;

import hermit.command.Utf8;
import hermit.http.FrameBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/// UTF-8 into the inside of a JSON string, bytes to bytes: runs that may stand as they are are copied, and only what
/// lies between is looked at. The JVM here has its first compiler alone, for which each further pass over the output
/// of a busy command counts.
final class JsonEscapes {
    /// What stands for each byte below 0x80 that may not stand for itself: the same choices as Jackson's. Empty for
    /// the others.
    private static final byte[][] ESCAPES = new byte[128][0];

    /// True for the bytes that are copied: the others are escaped, or belong to a longer character.
    private static final boolean[] PLAIN = new boolean[256];

    static {
        for (int c = 0; c < 0x20; c++)
            ESCAPES[c] = ascii("\\u00" + HexFormat.of().withUpperCase().toHexDigits((byte) c));
        ESCAPES['\b'] = ascii("\\b");
        ESCAPES['\t'] = ascii("\\t");
        ESCAPES['\n'] = ascii("\\n");
        ESCAPES['\f'] = ascii("\\f");
        ESCAPES['\r'] = ascii("\\r");
        ESCAPES['"'] = ascii("\\\"");
        ESCAPES['\\'] = ascii("\\\\");
        for (int c = 0; c < 128; c++) PLAIN[c] = ESCAPES[c].length == 0;
    }

    private JsonEscapes() {}

    /// Writes the first `length` bytes. What is no UTF-8 becomes replacement characters, as in a [String].
    static void write(byte[] bytes, int length, FrameBuffer frame) {
        int from = 0;
        int at = 0;
        while (true) {
            while (at < length && PLAIN[bytes[at] & 0xFF]) at++;
            if (at < length && bytes[at] < 0) {
                int size = Utf8.character(bytes, at, length);
                if (size == 0) {
                    frame.append(bytes, from, at - from);
                    writeMended(bytes, at, length, frame);
                    return;
                }
                at += size;
                continue;
            }
            frame.append(bytes, from, at - from);
            if (at == length) return;
            frame.append(ESCAPES[bytes[at]]);
            from = ++at;
        }
    }

    /// What the JDK makes of broken text is well-formed, so this does not come back here. What stands before `from` is
    /// complete, and does not change how the rest is read.
    private static void writeMended(byte[] bytes, int from, int length, FrameBuffer frame) {
        byte[] mended = new String(bytes, from, length - from, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
        write(mended, mended.length, frame);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
