package hermit.api;

import java.util.List;
import java.util.Optional;

/// A piece of a list. `nextCursor` is given back as `cursor` to get the next piece; empty at the end.
public record Page<T>(List<T> items, Optional<String> nextCursor) {
    public Page {
        items = List.copyOf(items);
    }
}
