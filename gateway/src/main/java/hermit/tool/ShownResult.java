package hermit.tool;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A tool's result as a model is shown it: of long texts head and tail, and how to read what lies between.
public final class ShownResult {
    /// About 5,000 tokens.
    static final LongText TEXT = new LongText(12_000, 4_000);

    private static final int MOST_ITEMS = 200;

    private ShownResult() {}

    /// `arguments`: of the call, whose offsets say where the result begins.
    public static Map<String, Object> of(Map<String, Object> arguments, Map<String, Object> result) {
        var shown = new LinkedHashMap<String, Object>();
        result.forEach((key, value) -> {
            if (value instanceof String text) shown.put(key, TEXT.cut(text, hint(arguments, result, key, text)));
            else if (value instanceof List<?> list && list.size() > MOST_ITEMS)
                shown.put(key, list.subList(0, MOST_ITEMS));
            else shown.put(key, value);
        });
        lastShown(result).ifPresent(name -> shown.put("next", name));
        return shown;
    }

    /// Of a list that was cut: behind which name it goes on.
    private static Optional<Object> lastShown(Map<String, Object> result) {
        return result.get("items") instanceof List<?> list
                        && list.size() > MOST_ITEMS
                        && list.get(MOST_ITEMS - 1) instanceof Map<?, ?> last
                ? Optional.ofNullable(last.get("name"))
                : Optional.empty();
    }

    private static String hint(Map<String, Object> arguments, Map<String, Object> result, String key, String text) {
        boolean exact = !"base64".equals(result.get("encoding"));
        int bytes = exact ? TEXT.head(text).getBytes(StandardCharsets.UTF_8).length : TEXT.head() / 4 * 3;
        if (result.get("exec_id") instanceof String exec) {
            long from = number(arguments.get(key + "_offset")) + bytes;
            return "exec_status with exec_id %s and %s_offset %d reads on".formatted(exec, key, from);
        }
        if (key.equals("content"))
            return "read_file with offset %d reads on".formatted(number(result.get("offset")) + bytes);
        return "it is too long";
    }

    private static long number(@Nullable Object value) {
        return value instanceof Number number ? number.longValue() : 0;
    }
}
