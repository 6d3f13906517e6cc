package hermit.problem;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/// JSON objects as the JDK sees them.
public final class Documents {
    private Documents() {}

    /// An unmodifiable copy that keeps the order and, unlike `Map.copyOf`, takes null for a value: a document may be
    /// wrong and is copied all the same.
    public static Map<String, Object> copyOf(Map<String, ?> document) {
        return Collections.unmodifiableMap(new LinkedHashMap<>(document));
    }
}
