package hermit.exec;

import hermit.problem.Fields;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// What values in a backend's config may look like. Patterns are narrow on purpose: whatever passes
/// here may be put into an engine's request or a path without a second thought.
final class ConfigShapes {
    /// `[registry[:port]/]path[:tag][@digest]`, as the engine's own reference grammar has it, without a
    /// leading option sign.
    private static final Pattern IMAGE = Pattern.compile(
            "(?=.{1,255}$)[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?::[0-9]{1,5})?(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?");

    private static final Pattern USERNAME = Pattern.compile("[a-z_][a-z0-9_-]{0,31}|[0-9]{1,9}(?::[0-9]{1,9})?");
    private static final Pattern ENV_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");
    private static final Pattern PATH = Pattern.compile("(?:/[^/\\p{Cntrl}:]+)+");
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/@-]{0,254}");

    /// Mounting a workspace over one of these breaks the image or reaches the kernel's own files.
    private static final Set<String> SYSTEM_DIRECTORIES = Set.of(
            "/",
            "/bin",
            "/boot",
            "/etc",
            "/lib",
            "/lib32",
            "/lib64",
            "/sbin",
            "/usr",
            "/usr/bin",
            "/usr/lib",
            "/usr/sbin",
            "/var",
            "/run",
            "/tmp",
            "/opt");

    private ConfigShapes() {}

    static String image(Fields fields, String standIn) {
        return fields.text("image", IMAGE, "an image reference such as ubuntu:24.04")
                .orElse(standIn);
    }

    static Optional<String> word(Fields fields, String key) {
        return fields.text(key, WORD, "letters, digits and . _ : / @ -");
    }

    static String username(Fields fields, String standIn) {
        return fields.text("username", USERNAME, "a user name, or a numeric uid or uid:gid")
                .orElse(standIn);
    }

    static Map<String, String> env(Fields fields) {
        return Map.copyOf(fields.textMap("env", ENV_NAME, "not a name for an environment variable")
                .orElse(Map.of()));
    }

    static Map<String, String> labels(Fields fields, String key) {
        return Map.copyOf(fields.textMap(key, WORD, "not a name for a label").orElse(Map.of()));
    }

    static Optional<Duration> timeout(Fields fields) {
        return fields.integer("timeout_ms", 1, Duration.ofDays(7).toMillis()).map(Duration::ofMillis);
    }

    /// The directory that a command starts in, where the workspace is mounted. Paths under `/proc`, `/sys` or `/dev`
    /// could be made to point at
    /// the host while a container is set up (CVE-2024-21626), so they are refused by their text already.
    static String agentHome(Fields fields, String standIn) {
        return fields.text("agent_home")
                .map(home -> {
                    String problem = homeProblem(home);
                    if (!problem.isEmpty()) fields.mistake("agent_home", problem);
                    return home;
                })
                .orElse(standIn);
    }

    private static String homeProblem(String home) {
        if (home.length() > 255 || !PATH.matcher(home).matches())
            return "must be an absolute path without a trailing slash, ':' or control characters";
        for (String part : home.split("/", -1))
            if (part.equals("..") || part.equals(".")) return "must not contain '.' or '..'";
        if (SYSTEM_DIRECTORIES.contains(home)) return "'%s' is a system directory".formatted(home);
        for (String kernel : Set.of("/proc", "/sys", "/dev", "/run/hermit", "/opt/hermit"))
            if (home.equals(kernel) || home.startsWith(kernel + "/")) return "must not lie under " + kernel;
        return "";
    }
}
