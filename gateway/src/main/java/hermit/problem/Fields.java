package hermit.problem;

import hermit.problem.GatewayException.Invalid;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads a closed object (a request body, `gateway.json`, a sandbox's config) and collects every
/// mistake with its path, so that a person mends them all at once. A key that nobody asked for is a
/// mistake, answered with the nearest known one.
///
/// Values are what a JSON reader makes of JSON: `Map<String, ?>`, `List<?>`, `String`, `Boolean`, any `Number`, null.
///
/// ```java
/// var fields = Fields.of(body);
/// var id = fields.text("id", AgentId.PATTERN, "lower-case letters, digits and hyphens");
/// var limit = fields.integer("limit", 1, 100);
/// fields.finish(); // throws Invalid with all mistakes
/// ```
public final class Fields {
    private final String path;
    private final Map<String, ?> values;
    private final Set<String> known = new LinkedHashSet<>();
    private final List<FieldError> errors;
    private boolean closed;

    private Fields(String path, Map<String, ?> values, List<FieldError> errors) {
        this.path = path;
        this.values = values;
        this.errors = errors;
    }

    /// The top of a document.
    public static Fields of(Map<String, ?> values) {
        return new Fields("", values, new ArrayList<>());
    }

    /// A part of a larger document that is read elsewhere: paths start with `path`.
    public static Fields at(String path, Map<String, ?> values) {
        return new Fields(path, values, new ArrayList<>());
    }

    /// Whether the key is there, be it with null.
    public boolean has(String key) {
        known.add(key);
        return values.containsKey(key);
    }

    public boolean isNull(String key) {
        return has(key) && values.get(key) == null;
    }

    /// The value as it is, for fields of several types.
    public Optional<Object> any(String key) {
        known.add(key);
        return Optional.ofNullable(values.get(key));
    }

    /// A text, possibly empty. A key that is there with null or another type is a mistake.
    public Optional<String> text(String key) {
        Object value = present(key);
        if (value == null) return Optional.empty();
        if (!(value instanceof String text)) return wrong(key, "must be a text, not " + kind(value));
        if (text.indexOf('\0') >= 0) return wrong(key, "must not contain NUL");
        return Optional.of(text);
    }

    /// A text that the whole pattern matches; `shape` tells a person what that means.
    public Optional<String> text(String key, Pattern pattern, String shape) {
        return text(key)
                .flatMap(text -> pattern.matcher(text).matches()
                        ? Optional.of(text)
                        : wrong(key, "'%s' is not allowed: %s".formatted(shorten(text), shape)));
    }

    /// One of a closed set of words.
    public <E extends Enum<E>> Optional<E> word(String key, Class<E> type) {
        var words = new ArrayList<String>();
        for (E each : type.getEnumConstants()) words.add(each.toString());
        return text(key).flatMap(text -> {
            for (E each : type.getEnumConstants()) if (each.toString().equals(text)) return Optional.of(each);
            return wrong(key, "'%s' is not one of %s".formatted(shorten(text), String.join(", ", words)));
        });
    }

    public Optional<Boolean> bool(String key) {
        Object value = present(key);
        if (value == null) return Optional.empty();
        return value instanceof Boolean bool
                ? Optional.of(bool)
                : wrong(key, "must be true or false, not " + kind(value));
    }

    /// A whole number within bounds, both included.
    public Optional<Long> integer(String key, long min, long max) {
        Object value = present(key);
        if (value == null) return Optional.empty();
        return switch (value) {
            case Integer number -> within(key, number.longValue(), min, max);
            case Long number -> within(key, number, min, max);
            case BigInteger number -> outside(key, min, max);
            case Number number -> wrong(key, "must be a whole number");
            default -> wrong(key, "must be a whole number, not " + kind(value));
        };
    }

    /// A number within bounds, both included.
    public Optional<BigDecimal> decimal(String key, String min, String max) {
        Object value = present(key);
        if (value == null) return Optional.empty();
        if (!(value instanceof Number number)) return wrong(key, "must be a number, not " + kind(value));
        BigDecimal decimal;
        try {
            decimal = new BigDecimal(number.toString());
        } catch (NumberFormatException e) {
            return wrong(key, "must be a finite number");
        }
        if (decimal.compareTo(new BigDecimal(min)) < 0 || decimal.compareTo(new BigDecimal(max)) > 0)
            return wrong(key, "must be between %s and %s".formatted(min, max));
        return Optional.of(decimal);
    }

    /// A list of texts.
    public Optional<List<String>> texts(String key) {
        Object value = present(key);
        if (value == null) return Optional.empty();
        if (!(value instanceof List<?> list)) return wrong(key, "must be a list of texts, not " + kind(value));
        var texts = new ArrayList<String>();
        for (int i = 0; i < list.size(); i++) {
            if (list.get(i) instanceof String text && text.indexOf('\0') < 0) texts.add(text);
            else return wrong(key + "[" + i + "]", "must be a text without NUL");
        }
        return Optional.of(List.copyOf(texts));
    }

    /// An object whose keys the caller chooses and whose values are texts.
    public Optional<Map<String, String>> textMap(String key, Pattern keys, String shape) {
        return object(key).flatMap(map -> {
            var texts = new LinkedHashMap<String, String>();
            map.forEach((name, value) -> {
                if (!keys.matcher(name).matches()) mistake(key + "." + shorten(name), shape);
                else if (value instanceof String text && text.indexOf('\0') < 0) texts.put(name, text);
                else mistake(key + "." + name, "must be a text without NUL");
            });
            return texts.size() == map.size() ? Optional.of(texts) : Optional.empty();
        });
    }

    /// An object, unread.
    public Optional<Map<String, Object>> object(String key) {
        Object value = present(key);
        if (value == null) return Optional.empty();
        if (!(value instanceof Map<?, ?> map)) return wrong(key, "must be an object, not " + kind(value));
        var copy = new LinkedHashMap<String, Object>();
        map.forEach((name, each) -> copy.put(String.valueOf(name), each));
        return Optional.of(copy);
    }

    /// A nested closed object that shares this one's list of mistakes. Its own unknown keys are found by its
    /// [#close].
    public Optional<Fields> nested(String key) {
        return object(key).map(map -> new Fields(full(key), map, errors));
    }

    /// Every entry of an object whose keys the caller chooses, each value a closed object.
    public void eachNested(String key, BiConsumer<String, Fields> reader) {
        object(key)
                .ifPresent(map -> map.forEach((name, value) -> {
                    String where = full(key) + "." + shorten(name);
                    if (value instanceof Map<?, ?> entry) {
                        var copy = new LinkedHashMap<String, Object>();
                        entry.forEach((k, v) -> copy.put(String.valueOf(k), v));
                        reader.accept(name, new Fields(where, copy, errors));
                    } else {
                        errors.add(new FieldError(where, "must be an object, not " + kind(value)));
                    }
                }));
    }

    /// A value that must be there; a stand-in and a recorded mistake where it is not.
    public <T> T required(String key, Optional<T> value, T standIn) {
        if (value.isEmpty() && !has(key)) mistake(key, "is required");
        return value.orElse(standIn);
    }

    /// Records a mistake that only the caller can see.
    public void mistake(String key, String message) {
        errors.add(new FieldError(full(key), message));
    }

    /// Takes over the mistakes of a part that was read elsewhere.
    public void mistakes(List<FieldError> more) {
        errors.addAll(more);
    }

    public String path(String key) {
        return full(key);
    }

    public List<FieldError> errors() {
        return List.copyOf(errors);
    }

    /// Reports the keys that nobody asked for. For nested objects; the top calls [#finish].
    public void close() {
        if (closed) return;
        closed = true;
        for (String key : values.keySet()) {
            if (known.contains(key)) continue;
            String hint = Nearest.to(key, known)
                    .map(" (did you mean '%s'?)"::formatted)
                    .orElse("");
            errors.add(new FieldError(full(shorten(key)), "unknown field" + hint));
        }
    }

    /// Closes, and throws [Invalid] if anything was wrong.
    public void finish() {
        close();
        if (!errors.isEmpty()) throw new Invalid(errors);
    }

    private @Nullable Object present(String key) {
        known.add(key);
        if (!values.containsKey(key)) return null;
        Object value = values.get(key);
        if (value == null) mistake(key, "must not be null");
        return value;
    }

    private Optional<Long> within(String key, long number, long min, long max) {
        return number < min || number > max ? outside(key, min, max) : Optional.of(number);
    }

    private <T> Optional<T> outside(String key, long min, long max) {
        return wrong(key, "must be between %d and %d".formatted(min, max));
    }

    private <T> Optional<T> wrong(String key, String message) {
        mistake(key, message);
        return Optional.empty();
    }

    private String full(String key) {
        if (key.isEmpty()) return path;
        return path.isEmpty() ? key : path + "." + key;
    }

    private static String kind(@Nullable Object value) {
        return switch (value) {
            case null -> "null";
            case Map<?, ?> map -> "an object";
            case List<?> list -> "a list";
            case String text -> "a text";
            case Boolean bool -> "a boolean";
            default -> "a number";
        };
    }

    /// Names and values that are echoed back are cut: an error is not a way to make the gateway send a megabyte.
    private static String shorten(String text) {
        String clean = text.codePoints()
                .limit(80)
                .map(c -> Character.isISOControl(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        return text.length() > clean.length() ? clean + "…" : clean;
    }
}
