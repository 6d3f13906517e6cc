package hermit.command;

import hermit.problem.GatewayException.Invalid;

/// Paths of files in a sandbox, as callers write them. They are resolved by the sandbox's own kernel, links and all,
/// so that none can name a file of the gateway; what is
/// refused here is what nobody writes without a second thought.
final class FilePaths {
    private static final int LONGEST = 4_096;

    private FilePaths() {}

    /// Absolute; a relative path is one below the agent home. Throws [Invalid] at `field`.
    static String absolute(String path, String home, String field) {
        if (path.isEmpty()) throw new Invalid(field, "must not be empty");
        if (path.length() > LONGEST)
            throw new Invalid(field, "must not be longer than %d characters".formatted(LONGEST));
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c < ' ' || c == 0x7f || c == '\\')
                throw new Invalid(field, "must not contain control characters or backslashes");
        }
        for (String part : path.split("/", -1)) {
            if (part.equals("..")) throw new Invalid(field, "must not contain '..'");
            if (encodedDots(part)) throw new Invalid(field, "contains an encoded '..'");
        }
        return path.startsWith("/") ? path : home + "/" + path;
    }

    /// What is left of a doubly encoded `..` when a request has been decoded once.
    private static boolean encodedDots(String part) {
        String plain = part.replaceAll("(?i)%(25)*2e", ".");
        return !plain.equals(part) && (plain.equals("..") || plain.equals(".") || plain.startsWith("../"));
    }
}
