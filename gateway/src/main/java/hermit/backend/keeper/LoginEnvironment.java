package hermit.backend.keeper;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Reads what `keeper env` printed under a login shell.
public final class LoginEnvironment {
    /// Of the shell itself, and stale by the time that another command starts.
    private static final Set<String> OF_THE_SHELL = Set.of("_", "SHLVL", "PWD", "OLDPWD");

    private LoginEnvironment() {}

    /// The script that prints it, with the keeper's path as `$0`.
    static List<String> argv(String keeper) {
        return List.of("sh", "-lc", "exec \"$0\" env", keeper);
    }

    /// The environment, on top of `base`. What a profile printed itself comes before the first entry and is left out.
    /// Empty if there is none in it.
    public static Optional<Map<String, String>> parse(byte[] printed, Map<String, String> base) {
        var env = new LinkedHashMap<String, String>();
        int from = 0;
        for (int at = 0; at < printed.length; at++) {
            if (printed[at] != 0) continue;
            decode(printed, from, at).ifPresent(entry -> put(env, entry));
            from = at + 1;
        }
        if (env.isEmpty() || from != printed.length) return Optional.empty();
        OF_THE_SHELL.forEach(env::remove);
        var path = joinPaths(env.getOrDefault("PATH", ""), base.getOrDefault("PATH", ""));
        if (!path.isEmpty()) env.put("PATH", path);
        return Optional.of(env);
    }

    /// The entries of the first, then those of the second that are missing there: a profile that sets a PATH of its own
    /// would hide the programs that an image has elsewhere.
    private static String joinPaths(String first, String second) {
        var entries = new LinkedHashSet<String>();
        for (String path : List.of(first, second))
            for (String entry : path.split(":", -1)) if (!entry.isEmpty()) entries.add(entry);
        return String.join(":", entries);
    }

    private static void put(Map<String, String> env, String entry) {
        int equals = entry.indexOf('=');
        if (equals <= 0) return;
        String name = entry.substring(entry.lastIndexOf('\n', equals) + 1, equals);
        if (!name.isEmpty()) env.put(name, entry.substring(equals + 1));
    }

    /// Empty for what is no text: it cannot travel in a request.
    private static Optional<String> decode(byte[] bytes, int from, int to) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, from, to - from))
                    .toString());
        } catch (CharacterCodingException _) {
            return Optional.empty();
        }
    }
}
