package hermit.command;

import hermit.problem.GatewayException.ProviderError;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// A file in a sandbox, as the sandbox says.
///
/// - `name`: within its directory; empty where one file was asked for by its path. Bytes that are no UTF-8 are shown
///   as replacement characters.
/// - `mode`: permission bits.
/// - `size`: in bytes; of a directory whatever its file system says.
/// - `target`: where a symbolic link points.
public record FileInfo(
        Type type, int mode, long uid, long gid, long size, Instant modifiedAt, String name, Optional<String> target) {
    public enum Type {
        FILE,
        DIRECTORY,
        LINK,
        PIPE,
        SOCKET,
        CHAR_DEVICE,
        BLOCK_DEVICE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final Map<String, Type> TYPES = Map.of(
            "f",
            Type.FILE,
            "d",
            Type.DIRECTORY,
            "l",
            Type.LINK,
            "p",
            Type.PIPE,
            "s",
            Type.SOCKET,
            "c",
            Type.CHAR_DEVICE,
            "b",
            Type.BLOCK_DEVICE);

    /// From a record of the keeper's file operations (without its final NUL). What does not look like one is a
    /// [ProviderError]: the sandbox may say anything.
    static FileInfo parse(String record) {
        String[] parts = record.split("\t", -1);
        String[] numbers = parts[0].split(" ", -1);
        try {
            if (parts.length != 3 || numbers.length != 6) throw new NumberFormatException("parts");
            Type type = TYPES.get(numbers[0]);
            if (type == null) throw new NumberFormatException("type");
            long nanos = Long.parseLong(numbers[5]);
            return new FileInfo(
                    type,
                    Integer.parseInt(numbers[1], 8) & 07777,
                    Long.parseLong(numbers[2]),
                    Long.parseLong(numbers[3]),
                    Long.parseLong(numbers[4]),
                    Instant.ofEpochSecond(Math.floorDiv(nanos, 1_000_000_000L), Math.floorMod(nanos, 1_000_000_000L)),
                    unescape(parts[1]),
                    type == Type.LINK ? Optional.of(unescape(parts[2])) : Optional.empty());
        } catch (NumberFormatException e) {
            throw new ProviderError("the sandbox described a file in a way that makes no sense", e);
        }
    }

    /// `\xHH` is the byte HH; the keeper writes so what would break a record.
    static String unescape(String text) {
        var bytes = new ByteArrayOutputStream(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\' && i + 3 < text.length() && text.charAt(i + 1) == 'x') {
                bytes.write(Integer.parseInt(text.substring(i + 2, i + 4), 16));
                i += 3;
            } else {
                bytes.write(c); // records are read as ISO-8859-1: one char is one byte
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
