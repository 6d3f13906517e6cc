package hermit.http;

import hermit.paging.Page;
import java.util.function.Function;

/// A page of a list as it is answered.
public final class Pages {
    private Pages() {}

    public static <T, R> Reply.Json reply(Page<T> page, Function<T, R> toJson) {
        var items = page.items().stream().map(toJson).toList();
        return Reply.ok(new hermit.api.Page<>(items, page.next().map(Cursors::encode)));
    }
}
