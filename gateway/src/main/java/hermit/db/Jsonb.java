package hermit.db;

import hermit.json.Json;
import hermit.problem.Documents;
import hermit.problem.GatewayException.Invalid;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jooq.JSONB;

/// Documents as columns hold them. What was stored has been checked before: text that cannot be read back means
/// that somebody else wrote to the database.
public final class Jsonb {
    /// An escaped NUL, and not an escaped backslash before the letters of one.
    private static final Pattern NUL = Pattern.compile("(?<!\\\\)((?:\\\\\\\\)*)\\\\u0000");

    private Jsonb() {}

    public static JSONB of(Map<String, ?> object) {
        return JSONB.valueOf(Json.write(object));
    }

    /// Like [#of], for a document that may hold anything: PostgreSQL's `jsonb` has no NUL, so U+FFFD takes its place.
    public static JSONB withoutNul(Map<String, ?> object) {
        return JSONB.valueOf(NUL.matcher(Json.write(object)).replaceAll("$1\\\\ufffd"));
    }

    public static JSONB of(List<String> texts) {
        return JSONB.valueOf(Json.write(texts));
    }

    /// Makes a value of a stored object, by the reader that checked it when it came in.
    public static <T> T read(JSONB column, Function<Map<String, Object>, T> reader) {
        try {
            return reader.apply(object(column));
        } catch (Invalid e) {
            throw new IllegalStateException("A stored document does not fit this version: " + e.detail(), e);
        }
    }

    public static Map<String, Object> object(JSONB column) {
        try {
            return Documents.copyOf(Json.object(column.data()));
        } catch (Json.Broken e) {
            throw new IllegalStateException("A stored document cannot be read: " + e.getMessage(), e);
        }
    }

    public static List<String> texts(JSONB column) {
        try {
            var texts = new ArrayList<String>();
            for (Object each : Json.list(column.data())) texts.add((String) each);
            return texts;
        } catch (Json.Broken | ClassCastException e) {
            throw new IllegalStateException("A stored list cannot be read: " + e.getMessage(), e);
        }
    }
}
