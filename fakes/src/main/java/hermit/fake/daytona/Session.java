package hermit.fake.daytona;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.fake.BoxProcess;
import hermit.fake.daytona.Toolbox.Visit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;

/// One long-lived shell, which is fed one wrapper for each command and runs them one after another. What a
/// command prints goes line by line, each after a mark of its stream, into one file.
final class Session {

    private final Visit visit;
    private final String id;
    private final BoxProcess shell;
    private final String directory;
    private final Map<String, Command> commands = new ConcurrentSkipListMap<>();
    private final AtomicInteger started = new AtomicInteger();

    record Command(String id, String text, boolean async, String directory) {}

    private Session(Visit visit, String id, BoxProcess shell, String directory) {
        this.visit = visit;
        this.id = id;
        this.shell = shell;
        this.directory = directory;
    }

    static Session open(Visit visit, String id) throws InterruptedException {
        String directory = "/tmp/.daytona-session-" + UUID.randomUUID();
        new Files(visit).must(directory, "mkdir -m 700 \"$1\"", directory);
        var argv = java.util.List.of("sh", "-c", ExecRoutes.SHELL + "exec \"$s\" >/dev/null 2>&1");
        var shell = visit.box().run(new hermit.fake.Box.Run(visit.user(), Optional.empty(), Map.of(), argv));
        return new Session(visit, id, shell, directory);
    }

    /// Queues a command behind those before it.
    Command start(String text, boolean async) throws InterruptedException {
        String name = "%06d".formatted(started.incrementAndGet());
        var command = new Command(name + "-" + UUID.randomUUID(), text, async, directory + "/" + name);
        var files = new Files(visit);
        files.shell(
                (text + "\n").getBytes(StandardCharsets.UTF_8),
                "mkdir -m 700 \"$1\" && mkfifo \"$1/in\" && : >\"$1/log\" && cat >\"$1/command\"",
                command.directory);
        commands.put(command.id, command);
        // The holder keeps the input open: there is no way to end it.
        String input = async ? "\"$d/in\"" : "/dev/null";
        String holder = async ? "sleep infinity >\"$d/in\" &\n" : "";
        try {
            shell.stdin()
                    .write("d='%s'\n%s%s"
                            .formatted(command.directory, holder, wrapper(input))
                            .getBytes(StandardCharsets.UTF_8));
            shell.stdin().flush();
        } catch (IOException e) {
            throw Refused.daemon(410, "SESSION_ENDED", "the session's shell has ended");
        }
        return command;
    }

    Command command(String command) {
        var found = commands.get(command);
        if (found == null) throw Refused.daemon(404, "NOT_FOUND", "not found: command not found");
        return found;
    }

    /// Waits for ever where the command has ended the shell itself.
    int await(Command command) throws InterruptedException {
        return Integer.parseInt(new Files(visit)
                .must(id, "until [ -e \"$1/code\" ]; do sleep 0.05; done; cat \"$1/code\"", command.directory)
                .text()
                .strip());
    }

    /// Empty while it runs.
    Optional<Integer> code(Command command) throws InterruptedException {
        String text = new Files(visit)
                .shell(new byte[0], "cat \"$1/code\" 2>/dev/null", command.directory)
                .text()
                .strip();
        return text.isEmpty() ? Optional.empty() : Optional.of(Integer.parseInt(text));
    }

    /// With marks, from a byte on.
    byte[] log(Command command, long from) throws InterruptedException {
        return new Files(visit)
                .must(id, "tail -c +\"$2\" \"$1/log\"", command.directory, Long.toString(from + 1))
                .stdout();
    }

    /// What is typed is echoed into the log, under one mark.
    void type(Command command, String data) throws InterruptedException {
        var ended = code(command);
        if (ended.isPresent())
            throw Refused.daemon(
                    410, "COMMAND_ALREADY_COMPLETED", "command has already completed with exit code " + ended.get());
        String line = data.endsWith("\n") ? data : data + "\n";
        // Into the log first, and at once: what the command prints upon it comes behind.
        new Files(visit)
                .shell(
                        line.getBytes(StandardCharsets.UTF_8),
                        "{ printf '\\001\\001\\001'; tee \"$1/typed\"; } >\"$1/echo\"; "
                                + "cat \"$1/echo\" >>\"$1/log\"; cat \"$1/typed\" >\"$1/in\"",
                        command.directory);
    }

    JsonNode show(Command command) throws InterruptedException {
        var json = Json.object().put("id", command.id).put("command", command.text);
        code(command).ifPresent(code -> json.put("exitCode", code));
        return json;
    }

    JsonNode show() throws InterruptedException {
        var json = Json.object().put("sessionId", id);
        var all = json.putArray("commands");
        for (Command command : commands.values()) all.add(show(command));
        return json;
    }

    void close() throws InterruptedException {
        shell.signalGroup("TERM");
        shell.signalGroup("KILL");
        new Files(visit).shell(new byte[0], "rm -rf \"$1\"", directory);
    }

    /// Each line of a stream comes after its mark, also the last one, which may lack its end.
    private static String wrapper(String input) {
        return """
                mkfifo "$d/out" "$d/err"
                ( while IFS= read -r l || [ -n "$l" ]; do printf '\\001\\001\\001%%s\\n' "$l"; done <"$d/out" >>"$d/log" ) &
                ho=$!
                ( while IFS= read -r l || [ -n "$l" ]; do printf '\\002\\002\\002%%s\\n' "$l"; done <"$d/err" >>"$d/log" ) &
                he=$!
                . "$d/command" <%s >"$d/out" 2>"$d/err"
                c=$?
                wait "$ho" "$he"
                echo "$c" >"$d/code.new" && mv "$d/code.new" "$d/code"
                """.formatted(input);
    }
}
