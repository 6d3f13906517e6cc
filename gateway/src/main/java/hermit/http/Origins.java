package hermit.http;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Which web pages may send requests. A program that is no browser sends no `Origin`.
final class Origins {
    private final Set<String> allowed;

    Origins(HttpSettings settings) {
        allowed = settings.allowedOrigins();
    }

    /// Equality of the whole text: `null`, another port and a name that only looks like ours are all
    /// different. `host` has passed [Hosts], so that a page of the server itself is known by it.
    boolean allows(@Nullable String origin, @Nullable String host) {
        return origin == null || origin.equals("http://" + host) || allowed.contains(origin);
    }
}
