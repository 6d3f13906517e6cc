package hermit.backend.daytona;

import java.util.List;
import java.util.stream.Collectors;

/// Writes an argument list so that a POSIX shell reads exactly that.
final class ShellWords {
    private ShellWords() {}

    static String of(List<String> argv) {
        return argv.stream().map(ShellWords::quote).collect(Collectors.joining(" "));
    }

    private static String quote(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
