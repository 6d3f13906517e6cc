package hermit.paging;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// A piece of a list. `next` is the key to go on after; empty at the end.
public record Page<T>(List<T> items, Optional<String> next) {
    public Page {
        items = List.copyOf(items);
    }

    /// Makes a page out of up to `limit + 1` items in order: the one too many tells that there are more.
    public static <T> Page<T> of(List<T> found, int limit, Function<T, String> key) {
        if (found.size() <= limit) return new Page<>(found, Optional.empty());
        List<T> items = found.subList(0, limit);
        return new Page<>(items, Optional.of(key.apply(items.getLast())));
    }

    public <R> Page<R> map(Function<T, R> mapper) {
        return new Page<>(items.stream().map(mapper).toList(), next);
    }
}
