package hermit.fake;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// What a fake was asked, in order; the first [#MOST] only.
public final class Journal {
    private static final int MOST = 10_000;

    private final List<Entry> entries = new ArrayList<>();

    /// One request. `headers` are in lower case; `body` is text, base64 where it is none.
    public record Entry(Instant at, String method, String path, Map<String, String> headers, String body) {
        public Entry {
            headers = Map.copyOf(headers);
        }
    }

    public synchronized void add(Entry entry) {
        if (entries.size() < MOST) entries.add(entry);
    }

    public synchronized List<Entry> entries() {
        return List.copyOf(entries);
    }

    public synchronized void clear() {
        entries.clear();
    }
}
