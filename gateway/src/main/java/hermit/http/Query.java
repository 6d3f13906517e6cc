package hermit.http;

import hermit.paging.PageRequest;
import hermit.problem.FieldError;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.Nearest;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The parameters of a request, closed: one that the route does not know, or that is given twice, is a
/// mistake.
public final class Query {
    private final Map<String, String> values;

    private Query(Map<String, String> values) {
        this.values = values;
    }

    static Query parse(@Nullable String raw, Set<String> known) {
        var values = new LinkedHashMap<String, String>();
        var errors = new ArrayList<FieldError>();
        for (String part : raw == null || raw.isEmpty() ? List.<String>of() : List.of(raw.split("&", -1))) {
            int sign = part.indexOf('=');
            String name = decode(sign < 0 ? part : part.substring(0, sign));
            String value = sign < 0 ? "" : decode(part.substring(sign + 1));
            if (!known.contains(name)) errors.add(unknown(name, known));
            else if (value.indexOf('\0') >= 0) errors.add(new FieldError(name, "must not contain NUL"));
            else if (values.putIfAbsent(name, value) != null) errors.add(new FieldError(name, "is given twice"));
        }
        if (!errors.isEmpty()) throw new Invalid(errors);
        return new Query(values);
    }

    /// Of values that are decoded already.
    static Query of(Map<String, String> values, Set<String> known) {
        var errors = new ArrayList<FieldError>();
        values.forEach((name, value) -> {
            if (!known.contains(name)) errors.add(unknown(name, known));
            else if (value.indexOf('\0') >= 0) errors.add(new FieldError(name, "must not contain NUL"));
        });
        if (!errors.isEmpty()) throw new Invalid(errors);
        return new Query(Map.copyOf(values));
    }

    public Optional<String> text(String name) {
        return Optional.ofNullable(values.get(name));
    }

    /// One of a closed set of words; throws [Invalid] for another.
    public <E extends Enum<E>> Optional<E> word(String name, Class<E> type) {
        return text(name).map(text -> {
            for (E each : type.getEnumConstants()) if (each.toString().equals(text)) return each;
            var words = new ArrayList<String>();
            for (E each : type.getEnumConstants()) words.add(each.toString());
            throw new Invalid(name, "is not one of " + String.join(", ", words));
        });
    }

    /// False where absent.
    public boolean flag(String name) {
        return text(name)
                .map(text -> switch (text) {
                    case "true" -> true;
                    case "false" -> false;
                    default -> throw new Invalid(name, "must be true or false");
                })
                .orElse(false);
    }

    /// A parameter that must be there.
    public String required(String name) {
        return text(name).orElseThrow(() -> new Invalid(name, "is required"));
    }

    /// A whole number within bounds, both included.
    public Optional<Long> integer(String name, long min, long max) {
        return text(name).map(text -> {
            // 18 digits fit a long, whatever they are.
            if (!text.matches("[0-9]{1,18}")) throw new Invalid(name, "must be a whole number");
            long number = Long.parseLong(text);
            if (number < min || number > max) throw new Invalid(name, "must be between %d and %d".formatted(min, max));
            return number;
        });
    }

    /// `limit` and `cursor`. `isKey` says whether a text can be a key of the list at all; a cursor that holds
    /// another one is refused like any that no list has given.
    public PageRequest page(Predicate<String> isKey) {
        int limit =
                integer("limit", 1, PageRequest.MAX_LIMIT).map(Long::intValue).orElse(PageRequest.DEFAULT_LIMIT);
        return new PageRequest(text("cursor").map(cursor -> Cursors.decode(cursor, isKey)), limit);
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new Invalid("", "the query is not properly percent-encoded");
        }
    }

    private static FieldError unknown(String name, Set<String> known) {
        String shown = name.length() <= 80 ? name : name.substring(0, 80) + "…";
        String hint =
                Nearest.to(name, known).map(" (did you mean '%s'?)"::formatted).orElse("");
        return new FieldError(shown, "unknown parameter" + hint);
    }
}
