package hermit.exec;

import java.util.Optional;
import java.util.regex.Pattern;

/// An amount of memory as people write it: `512m`, `2g`, or bytes.
public record ByteSize(long bytes) {
    private static final Pattern SHAPE = Pattern.compile("([0-9]{1,15})([bkmg]?)");

    /// Empty if the text is no such amount or does not fit.
    public static Optional<ByteSize> parse(String text) {
        var matcher = SHAPE.matcher(text);
        if (!matcher.matches()) return Optional.empty();
        long factor = switch (matcher.group(2)) {
            case "k" -> 1L << 10;
            case "m" -> 1L << 20;
            case "g" -> 1L << 30;
            default -> 1;
        };
        long number = Long.parseLong(matcher.group(1));
        return number > Long.MAX_VALUE / factor ? Optional.empty() : Optional.of(new ByteSize(number * factor));
    }

    /// The shortest exact way to write it.
    @Override
    public String toString() {
        if (bytes > 0 && bytes % (1L << 30) == 0) return (bytes >> 30) + "g";
        if (bytes > 0 && bytes % (1L << 20) == 0) return (bytes >> 20) + "m";
        return Long.toString(bytes);
    }
}
