package hermit.http;

import hermit.problem.ProblemCode;
import java.util.Map;

/// A request that was turned away before any route was asked: it came to a wrong name, or from a page that may not.
/// Nothing is known of who sent it.
///
/// - `path`: what was asked for, percent-encoded.
/// - `shown`: what it was refused for: the `host` or the `origin` that it gave, cut to a readable length.
public record TurnedAway(
        String id, String address, String method, String path, ProblemCode problem, Map<String, String> shown) {
    private static final int LONGEST = 200;

    public TurnedAway {
        path = cut(path);
        method = cut(method);
        shown = Map.copyOf(shown);
    }

    static String cut(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
    }
}
