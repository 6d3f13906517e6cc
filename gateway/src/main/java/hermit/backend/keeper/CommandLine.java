package hermit.backend.keeper;

import hermit.exec.Command.Program;
import java.util.ArrayList;
import java.util.List;

/// Turns a program into the arguments of `execve`.
final class CommandLine {
    /// UTF-8 bytes in one argument. The kernel takes 128 KiB with the NUL at the end; longer scripts are cut below
    /// that.
    static final int PIECE = 100 << 10;

    /// Puts the pieces of a long script together and runs it, as if it had come in one: no arguments, the usual `IFS`
    /// (a script may save and restore it), and its own line numbers. With an empty `IFS`, `"$*"` joins without a
    /// separator.
    private static final String JOIN =
            "HERMIT_IFS=$IFS; IFS=; set -- \"$*\"; IFS=$HERMIT_IFS; unset HERMIT_IFS; eval \"shift; $1\"";

    private CommandLine() {}

    static List<String> of(Program program) {
        return switch (program) {
            case Program.Argv(var arguments) -> arguments;
            case Program.Shell(var text) -> shell(text);
        };
    }

    private static List<String> shell(String text) {
        var pieces = pieces(text);
        if (pieces.size() == 1) return List.of("sh", "-c", text);
        var argv = new ArrayList<String>(List.of("sh", "-c", JOIN, "sh"));
        argv.addAll(pieces);
        return argv;
    }

    /// Cuts between characters, so that each piece is valid text by itself.
    private static List<String> pieces(String text) {
        var pieces = new ArrayList<String>();
        int from = 0;
        int bytes = 0;
        for (int at = 0; at < text.length(); ) {
            int c = text.codePointAt(at);
            int size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
            if (bytes + size > PIECE) {
                pieces.add(text.substring(from, at));
                from = at;
                bytes = 0;
            }
            bytes += size;
            at += Character.charCount(c);
        }
        pieces.add(text.substring(from));
        return pieces;
    }
}
