package hermit.cli;

import java.util.Locale;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// The key that leaves a terminal, or none. It is one byte, as every Ctrl key is.
///
/// - `code`: that byte, or -1.
record DetachKey(int code) {
    static final DetachKey NONE = new DetachKey(-1);

    /// As in telnet: no program in common use reads it.
    static final String USUAL = "Ctrl-]";

    private static final Pattern FORM = Pattern.compile("(?:\\^|(?i:ctrl)-)([@-_a-z])");

    /// The place of the key among the first `length` bytes; -1 if it is not there.
    int find(byte[] keys, int length) {
        for (int i = 0; i < length; i++) if (keys[i] == code) return code < 0 ? -1 : i;
        return -1;
    }

    @Override
    public String toString() {
        return code < 0 ? "none" : "Ctrl-" + (char) (code + '@');
    }

    /// Reads `Ctrl-]`, `^]` and `none`.
    static final class Reader implements ITypeConverter<DetachKey> {
        @Override
        public DetachKey convert(String text) {
            if (text.equals("none")) return NONE;
            var parts = FORM.matcher(text);
            if (!parts.matches())
                throw new TypeConversionException("'%s' is not a key such as Ctrl-] or ^P, nor none".formatted(text));
            return new DetachKey(parts.group(1).toUpperCase(Locale.ROOT).charAt(0) - '@');
        }
    }
}
