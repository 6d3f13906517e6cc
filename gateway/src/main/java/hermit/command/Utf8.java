package hermit.command;

import java.nio.charset.StandardCharsets;

/// Output as text. Bytes that are no UTF-8 become replacement characters; a character whose bytes arrive in
/// several pieces does not.
public final class Utf8 {
    private Utf8() {}

    /// How many bytes at the end may be the beginning of a character that goes on in the next piece: 0 to 3.
    public static int unfinished(byte[] bytes) {
        for (int back = 1; back <= Math.min(3, bytes.length); back++) {
            int each = bytes[bytes.length - back] & 0xFF;
            if (each < 0x80) return 0;
            if (each >= 0xC0) return length(each) > back ? back : 0;
        }
        return 0;
    }

    public static String decode(byte[] bytes, int length) {
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    /// The length of the well-formed character of more than one byte that begins at `at`; 0 if there is none before
    /// `end`. By table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing beyond U+10FFFF.
    public static int character(byte[] bytes, int at, int end) {
        int first = bytes[at] & 0xFF;
        int length = length(first);
        if (length == 1 || end - at < length) return 0;
        int second = bytes[at + 1] & 0xFF;
        int least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
        int most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        if (second < least || second > most) return 0;
        for (int i = 2; i < length; i++) if ((bytes[at + i] & 0xC0) != 0x80) return 0;
        return length;
    }

    /// Of a character, by its first byte; 1 for bytes that begin none.
    private static int length(int first) {
        if (first >= 0xC2 && first <= 0xDF) return 2;
        if (first >= 0xE0 && first <= 0xEF) return 3;
        if (first >= 0xF0 && first <= 0xF4) return 4;
        return 1;
    }
}
