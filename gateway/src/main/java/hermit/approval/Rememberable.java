package hermit.approval;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// Decides which commands may be remembered. A rule only ever matches the very same command; what is
/// refused here is what says nothing of what it will do: programs that run whatever a file or their input
/// holds at that time.
final class Rememberable {
    /// They run other programs, or code that is not in the text.
    private static final Set<String> WRAPPERS = Set.of(
            "sh",
            "bash",
            "dash",
            "ash",
            "zsh",
            "ksh",
            "csh",
            "tcsh",
            "fish",
            "busybox",
            "env",
            "xargs",
            "parallel",
            "timeout",
            "sudo",
            "doas",
            "su",
            "runuser",
            "setpriv",
            "chroot",
            "unshare",
            "nsenter",
            "nohup",
            "nice",
            "ionice",
            "setsid",
            "stdbuf",
            "script",
            "watch",
            "time",
            "command",
            "builtin",
            "exec",
            "eval",
            "source",
            ".",
            "trap",
            "python",
            "perl",
            "ruby",
            "node",
            "nodejs",
            "deno",
            "bun",
            "php",
            "lua",
            "awk",
            "gawk",
            "mawk",
            "nawk",
            "tclsh",
            "expect",
            "java",
            "jshell",
            "ssh",
            "docker",
            "podman",
            "kubectl",
            "make",
            "npx",
            "uvx",
            "pipx",
            "flock",
            "strace",
            "ltrace",
            "gdb",
            "vi",
            "vim",
            "ed",
            "find",
            "systemd-run",
            "at",
            "batch");

    private static final Pattern VERSION = Pattern.compile("[0-9.]+$");
    private static final Pattern ASSIGNMENT = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*=.*");
    /// Where another command begins inside of a text, as far as can be told without being a shell. Nothing
    /// depends on this but whether a rule is worth having.
    private static final Pattern SEPARATORS = Pattern.compile("[;&|(){}`$\\n]+");
    private static final Set<String> RESERVED =
            Set.of("!", "if", "then", "elif", "else", "while", "until", "do", "case", "in", "for");

    private Rememberable() {}

    /// Why this call may not be remembered; empty if it may.
    static Optional<String> refusal(String tool, Map<String, Object> summary) {
        if (!tool.equals("exec") && !tool.equals("exec_background"))
            return Optional.of("only commands can be remembered, and this is " + tool);
        return programs(summary).stream()
                .filter(Rememberable::isWrapper)
                .findFirst()
                .map(("'%s' runs whatever it is given, or what a file holds at that time;"
                        + " allow such a command each time")::formatted);
    }

    private static List<String> programs(Map<String, Object> summary) {
        if (summary.get("argv") instanceof List<?> argv) return List.of(String.valueOf(argv.getFirst()));
        var programs = new ArrayList<String>();
        for (String part : SEPARATORS.split(String.valueOf(summary.getOrDefault("command", "")), -1))
            Arrays.stream(part.strip().split("\\s+", -1))
                    .map(word -> word.replaceAll("[\"'\\\\]", ""))
                    .filter(word -> !RESERVED.contains(word))
                    .findFirst()
                    .ifPresent(programs::add);
        return programs;
    }

    private static boolean isWrapper(String word) {
        if (ASSIGNMENT.matcher(word).matches()) return true;
        String name = word.substring(word.lastIndexOf('/') + 1);
        return WRAPPERS.contains(name)
                || WRAPPERS.contains(VERSION.matcher(name).replaceFirst(""));
    }
}
