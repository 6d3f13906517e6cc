package hermit.fake.daytona;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.fake.Box;
import hermit.fake.daytona.Toolbox.Visit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// The PTYs of all sandboxes. One that has ended is not in the list any more.
final class Terminals {
    private static final int LARGEST = 1_000;

    private final Map<String, Terminal> terminals = new ConcurrentHashMap<>();

    /// Refuses a second one of the same id.
    Terminal create(Visit visit, String id, Optional<String> cwd, Map<String, String> envs, int cols, int rows)
            throws InterruptedException {
        if (id.isEmpty()) throw Refused.badRequest("id is required");
        check(cols, rows);
        String key = key(visit.machine().id(), id);
        if (terminals.containsKey(key))
            throw Refused.daemon(409, "CONFLICT", "conflict: PTY session with ID '%s' already exists".formatted(id));
        var env = new LinkedHashMap<>(envs);
        env.putIfAbsent("TERM", "xterm-256color");
        var directory = cwd.isPresent() ? visit.absolute(cwd.get()) : visit.home();
        var shell = List.of("sh", "-c", ExecRoutes.SHELL + "exec \"$s\" -il");
        var run = new Box.Run(visit.user(), Optional.of(directory), env, shell);
        // The name is a file's in the machine: not everything that an id may be.
        String name = Integer.toHexString(id.hashCode()) + "-" + Long.toHexString(System.nanoTime());
        var pty = visit.box().terminal(name, run, cols, rows);
        var terminal = new Terminal(id, pty, directory, env, cols, rows, () -> terminals.remove(key));
        terminals.put(key, terminal);
        return terminal;
    }

    Optional<Terminal> find(String machine, String id) {
        return Optional.ofNullable(terminals.get(key(machine, id)));
    }

    Terminal known(Visit visit) {
        String id = visit.context().pathParam("pty");
        return find(visit.machine().id(), id)
                .orElseThrow(
                        () -> Refused.daemon(404, "NOT_FOUND", "not found: PTY session %s not found".formatted(id)));
    }

    List<JsonNode> list(String machine) {
        return terminals.entrySet().stream()
                .filter(each -> each.getKey().startsWith(machine + "/"))
                .map(each -> each.getValue().show())
                .toList();
    }

    static void check(int cols, int rows) {
        if (cols < 1 || cols > LARGEST || rows < 1 || rows > LARGEST)
            throw Refused.badRequest("cols and rows must be between 1 and 1000");
    }

    private static String key(String machine, String id) {
        return machine + "/" + id;
    }
}
