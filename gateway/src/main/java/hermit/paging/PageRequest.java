package hermit.paging;

import java.util.Optional;

/// Which piece of a list. `after` is the key of the last item that the caller has; what a key is, each list says.
public record PageRequest(Optional<String> after, int limit) {
    /// What the command line asks for: a round trip costs more than its rows, of a few hundred bytes each.
    public static final int MAX_LIMIT = 1000;
    public static final int DEFAULT_LIMIT = 50;

    public PageRequest {
        if (limit < 1 || limit > MAX_LIMIT) throw new IllegalArgumentException("limit " + limit);
    }

    public static PageRequest first(int limit) {
        return new PageRequest(Optional.empty(), limit);
    }
}
