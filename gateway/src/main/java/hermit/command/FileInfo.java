package hermit.command;

import hermit.problem.GatewayException.ProviderError;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;

/// A file in a sandbox, as the sandbox says.
///
/// - `path`: absolute, as it was asked for.
/// - `mode`: permission bits, set-id and sticky bits included.
/// - `size`: in bytes; of a directory whatever its file system says.
/// - `target`: where a symbolic link points.
///
/// Bytes of names that are no UTF-8 are shown as replacement characters.
public record FileInfo(
        String path, Type type, int mode, long uid, long gid, long size, Instant modifiedAt, Optional<String> target) {
    public enum Type {
        FILE('f'),
        DIRECTORY('d'),
        LINK('l'),
        PIPE('p'),
        SOCKET('s'),
        CHAR_DEVICE('c'),
        BLOCK_DEVICE('b');

        private final String letter;

        Type(char letter) {
            this.letter = String.valueOf(letter);
        }

        private static Type of(String letter) {
            for (Type each : values()) if (each.letter.equals(letter)) return each;
            throw new NumberFormatException("no type " + letter);
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final long NANOS = 1_000_000_000L;

    /// The last part of the path.
    public String name() {
        return FilePaths.name(path);
    }

    /// The keeper's record of the file at `path`.
    static FileInfo of(String path, String record) {
        return parse(path, record, false);
    }

    /// The keeper's record of an entry of `directory`.
    static FileInfo in(String directory, String record) {
        return parse(directory.endsWith("/") ? directory : directory + "/", record, true);
    }

    /// What does not look like a record is a [ProviderError]: the sandbox may say anything.
    private static FileInfo parse(String path, String record, boolean entry) {
        String[] parts = record.split("\t", -1);
        String[] numbers = parts[0].split(" ", -1);
        try {
            if (parts.length != 3 || numbers.length != 6) throw new NumberFormatException("parts");
            Type type = Type.of(numbers[0]);
            long size = Long.parseLong(numbers[4]);
            if (size < 0) throw new NumberFormatException("size");
            long nanos = Long.parseLong(numbers[5]);
            return new FileInfo(
                    entry ? path + unescape(parts[1]) : path,
                    type,
                    Integer.parseInt(numbers[1], 8) & 07777,
                    Long.parseLong(numbers[2]),
                    Long.parseLong(numbers[3]),
                    size,
                    Instant.ofEpochSecond(Math.floorDiv(nanos, NANOS), Math.floorMod(nanos, NANOS)),
                    type == Type.LINK ? Optional.of(unescape(parts[2])) : Optional.empty());
        } catch (NumberFormatException e) {
            throw new ProviderError("the sandbox described a file in a way that makes no sense", e);
        }
    }

    /// Text of a record, read as ISO-8859-1 so that one char is one byte. `\xHH` is the byte HH: the keeper writes so
    /// what would break a record.
    static String unescape(String text) {
        var bytes = new ByteArrayOutputStream(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isEscape(text, i)) {
                bytes.write(HexFormat.fromHexDigits(text, i + 2, i + 4));
                i += 3;
            } else {
                bytes.write(c);
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static boolean isEscape(String text, int at) {
        return text.startsWith("\\x", at)
                && at + 3 < text.length()
                && HexFormat.isHexDigit(text.charAt(at + 2))
                && HexFormat.isHexDigit(text.charAt(at + 3));
    }
}
