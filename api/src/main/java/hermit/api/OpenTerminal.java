package hermit.api;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A request for a terminal. Without a command it runs the user's own shell, without a size it has 80 columns and 24
/// rows.
public record OpenTerminal(
        Optional<Integer> cols,
        Optional<Integer> rows,
        Optional<String> command,
        Optional<List<String>> argv,
        Optional<String> cwd,
        Optional<Map<String, String>> env) {
    public OpenTerminal {
        argv = argv.map(List::copyOf);
        env = env.map(Map::copyOf);
    }
}
