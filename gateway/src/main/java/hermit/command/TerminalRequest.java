package hermit.command;

import hermit.command.ExecRequest.Encoding;
import hermit.exec.Command.Program;
import hermit.exec.Command.Stdin;
import hermit.exec.Command.Terminal;
import hermit.problem.Fields;
import java.util.Map;
import java.util.Optional;

/// What a caller asks of a new terminal, checked.
public record TerminalRequest(Program program, Optional<String> cwd, Map<String, String> env, Terminal size) {
    /// What a terminal has that nobody has looked at yet.
    private static final Terminal USUAL = new Terminal(80, 24);

    /// The user's own shell as a login shell. `SHELL` may be set by the sandbox's environment; otherwise the user's
    /// line in the image's list of users names it, unless it forbids to log in.
    private static final Program LOGIN_SHELL = new Program.Shell("""
            s=${SHELL:-}
            [ -n "$s" ] || while IFS=: read -r n _ _ _ _ _ t; do [ "$n" = "$USER" ] && s=$t; done </etc/passwd 2>/dev/null
            case $s in */nologin | */false) s= ;; esac
            [ -n "$s" ] && [ -x "$s" ] || s=/bin/sh
            SHELL=$s exec "$s" -l
            """);

    public TerminalRequest {
        env = Map.copyOf(env);
    }

    /// Reads `{cols?, rows?, command? | argv?, cwd?, env?}`; throws with all mistakes.
    public static TerminalRequest read(Map<String, Object> document) {
        var fields = Fields.of(document);
        var request = new TerminalRequest(
                fields.has("command") || fields.has("argv") ? ExecRequest.program(fields) : LOGIN_SHELL,
                ExecRequest.cwd(fields),
                ExecRequest.env(fields),
                size(fields).orElse(USUAL));
        fields.finish();
        return request;
    }

    /// `cols` and `rows` of a terminal, both or none.
    public static Optional<Terminal> size(Fields fields) {
        Optional<Long> cols = fields.integer("cols", 1, Terminal.MOST);
        Optional<Long> rows = fields.integer("rows", 1, Terminal.MOST);
        if (fields.has("cols") != fields.has("rows"))
            fields.mistake(fields.has("cols") ? "rows" : "cols", "a size needs both cols and rows");
        if (cols.isEmpty() || rows.isEmpty()) return Optional.empty();
        return Optional.of(new Terminal(cols.get().intValue(), rows.get().intValue()));
    }

    /// A terminal is a command with a PTY that has no deadline, and whose output is not kept as an answer: what was
    /// typed and shown there stays between those who looked.
    ExecRequest asExec() {
        return new ExecRequest(
                program,
                cwd,
                env,
                new Stdin.Open(),
                Optional.empty(),
                0,
                Encoding.UTF8,
                false,
                true,
                Optional.of(size),
                false,
                false,
                Optional.empty());
    }
}
