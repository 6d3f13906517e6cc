package hermit.audit.http;

import hermit.http.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Names what a route does, by the names in its path: what it is about, a dot, and a verb. As there are so many routes,
/// and no others, the words are a closed set.
final class AuditActions {
    /// Last words of paths that say what to do with the thing before them.
    private static final Set<String> VERBS = Set.of(
            "start",
            "stop",
            "stdin",
            "signal",
            "merge",
            "login",
            "logout",
            "ticket",
            "end",
            "cancel",
            "decision",
            "enable",
            "disable",
            "reclaim",
            "scan",
            "mkdir",
            "move");

    private AuditActions() {}

    static String of(Method method, String template) {
        List<String> words = new ArrayList<>(List.of(template.split("/", -1)));
        words.removeIf(each -> each.isEmpty() || each.equals("api") || each.startsWith("{"));
        String last = words.getLast();
        if (words.size() > 1 && VERBS.contains(last) && template.endsWith("/" + last))
            return words.get(words.size() - 2) + "." + last;
        // What is posted there is one of many things that can be asked for.
        boolean called = template.endsWith("}") || last.equals("mcp");
        return last + "." + (method == Method.POST && called ? "call" : verb(method));
    }

    private static String verb(Method method) {
        return switch (method) {
            case GET -> "read";
            case POST -> "create";
            case PUT -> "replace";
            case PATCH -> "change";
            case DELETE -> "delete";
            case WS -> "open";
        };
    }
}
