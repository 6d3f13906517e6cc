package hermit.config;

import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.problem.Fields;
import hermit.problem.Nearest;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/// A named template that new sandboxes copy.
public record SandboxPreset(BackendConfig config) {
    private static final String NO_HOST =
            "'host' has been removed: it gave unsandboxed shell access to the gateway's machine; use one of docker, e2b, daytona, tenki";

    public BackendType type() {
        return config.type();
    }

    /// Reads `{"type": …, "config": {…}}` by the rules that the API has for sandboxes. Empty, with a mistake, if the
    /// type is not known: its config cannot be judged then.
    static Optional<SandboxPreset> read(Fields entry) {
        Optional<BackendType> type =
                entry.required("type", entry.text("type"), "").transform(name -> type(name, entry));
        Optional<Map<String, Object>> given = entry.object("config");
        Optional<SandboxPreset> preset = type.map(each -> new SandboxPreset(
                given.isPresent()
                        ? BackendConfig.read(
                                each, given.get(), entry.nested("config").orElseThrow())
                        : BackendConfig.of(each, Map.of(), entry.path("config"))));
        entry.close();
        return preset;
    }

    private static Optional<BackendType> type(String name, Fields entry) {
        Optional<BackendType> type = BackendType.of(name);
        if (type.isPresent() || name.isEmpty()) return type;
        if (name.equals("host")) {
            entry.mistake("type", NO_HOST);
            return type;
        }
        var known =
                Arrays.stream(BackendType.values()).map(BackendType::toString).toList();
        String hint =
                Nearest.to(name, known).map(" (did you mean '%s'?)"::formatted).orElse("");
        entry.mistake("type", "is not one of " + String.join(", ", known) + hint);
        return type;
    }
}
