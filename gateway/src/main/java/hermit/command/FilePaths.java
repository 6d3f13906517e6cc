package hermit.command;

import hermit.problem.GatewayException.Invalid;
import java.util.ArrayList;
import java.util.List;

/// Paths of files in a sandbox, as callers write them. They are resolved by the sandbox's own kernel, links and all, so
/// that none can name a file of the gateway; what is refused here is what nobody writes without a second thought.
final class FilePaths {
    /// The kernel takes 4,095 bytes, and a character has up to 4.
    private static final int LONGEST = 4_000;

    private FilePaths() {}

    /// Absolute, and without `.` and empty parts; a relative path is one below the agent home. A slash
    /// at the end stays: it says that a directory is meant. Throws [Invalid] at `field`.
    static String absolute(String path, String home, String field) {
        if (path.isEmpty()) throw new Invalid(field, "must not be empty");
        if (path.length() > LONGEST)
            throw new Invalid(field, "must not be longer than %d characters".formatted(LONGEST));
        if (path.chars().anyMatch(each -> Character.isISOControl(each) || each == '\\'))
            throw new Invalid(field, "must not contain control characters or backslashes");
        for (String part : path.split("/", -1)) {
            if (part.equals("..")) throw new Invalid(field, "must not contain '..'");
            if (isEncodedClimb(part)) throw new Invalid(field, "contains an encoded '..' or '/'");
        }
        String full = path.startsWith("/") ? path : home + "/" + path;
        String plain = "/" + String.join("/", parts(full));
        boolean directory = path.endsWith("/") && plain.length() > 1;
        return directory ? plain + "/" : plain;
    }

    /// Whether both name the same entry as far as can be told from the text.
    static boolean same(String one, String other) {
        return parts(one).equals(parts(other));
    }

    /// The last part, for people; `root` for `/`.
    static String name(String path) {
        List<String> parts = parts(path);
        return parts.isEmpty() ? "root" : parts.getLast();
    }

    private static List<String> parts(String path) {
        var parts = new ArrayList<String>();
        for (String part : path.split("/", -1)) if (!part.isEmpty() && !part.equals(".")) parts.add(part);
        return parts;
    }

    /// What is left of an encoded `../` when a request has been decoded once, however often it was encoded.
    private static boolean isEncodedClimb(String part) {
        String plain = part.replaceAll("(?i)%(25)*2e", ".").replaceAll("(?i)%(25)*(2f|5c)", "/");
        return !plain.equals(part) && List.of(plain.split("/", -1)).contains("..");
    }
}
