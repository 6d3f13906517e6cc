package hermit.api;

import java.util.List;
import java.util.Optional;

/// - `nextCursor`: always absent; all are told at once.
/// - `unreachable`: the providers that could not be asked. What only they know is missing.
public record Leftovers(List<Leftover> items, Optional<String> nextCursor, List<Unreachable> unreachable) {
    public Leftovers {
        items = List.copyOf(items);
        unreachable = List.copyOf(unreachable);
    }

    public record Unreachable(String type, String detail) {}
}
