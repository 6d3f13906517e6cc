package hermit.cli;

import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Reads `500ms`, `30s`, `5m`, `2h`. The unit is asked for: a bare number means seconds to some and milliseconds to
/// others.
final class Durations implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|m|h)");
    private static final Map<String, Duration> UNITS = Map.of(
            "ms",
            Duration.ofMillis(1),
            "s",
            Duration.ofSeconds(1),
            "m",
            Duration.ofMinutes(1),
            "h",
            Duration.ofHours(1));

    @Override
    public Duration convert(String text) {
        var parts = FORM.matcher(text);
        Duration unit = parts.matches() ? UNITS.get(parts.group(2)) : null;
        if (unit == null)
            throw new TypeConversionException("'%s' is not a duration such as 500ms, 30s, 5m or 2h".formatted(text));
        Duration duration = unit.multipliedBy(Long.parseLong(parts.group(1)));
        if (duration.isZero()) throw new TypeConversionException("a duration must be more than zero");
        return duration;
    }
}
