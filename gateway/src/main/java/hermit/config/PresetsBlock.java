package hermit.config;

import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.problem.Fields;
import hermit.problem.Nearest;
import hermit.sandbox.Preset;
import hermit.sandbox.Presets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// Reads `sandboxPresets` and `autoProvisionSandbox`, each preset's config by the rules that the API has for
/// sandboxes.
final class PresetsBlock {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");
    private static final List<String> TYPES =
            Arrays.stream(BackendType.values()).map(BackendType::toString).toList();
    private static final String NO_HOST =
            "'host' has been removed: it gave unsandboxed shell access to the gateway's machine; use one of "
                    + String.join(", ", TYPES);

    private PresetsBlock() {}

    static Presets read(Fields document) {
        var presets = new ArrayList<Preset>();
        var names = new HashSet<String>();
        document.eachNested("sandboxPresets", (name, entry) -> {
            names.add(name);
            if (!NAME.matcher(name).matches()) entry.mistake("", "a preset's name has letters, digits and . _ -");
            config(entry).ifPresent(config -> presets.add(new Preset(name, config)));
        });
        Optional<String> auto = autoProvision(document, names);
        // A preset with a mistake has been reported, and is not there to be named.
        return new Presets(
                presets,
                auto.filter(
                        name -> presets.stream().anyMatch(each -> each.name().equals(name))));
    }

    private static Optional<String> autoProvision(Fields document, Set<String> names) {
        if (document.isNull("autoProvisionSandbox")) return Optional.empty();
        Optional<String> auto = document.text("autoProvisionSandbox");
        auto.filter(name -> !names.contains(name)).ifPresent(name -> {
            String hint = Nearest.to(name, names)
                    .map(" (did you mean '%s'?)"::formatted)
                    .orElse("");
            document.mistake("autoProvisionSandbox", "names no entry of sandboxPresets" + hint);
        });
        return auto;
    }

    /// Empty, with a mistake, if the type is not known: the config cannot be judged then.
    private static Optional<BackendConfig> config(Fields entry) {
        String name = entry.required("type", entry.text("type"), "");
        Optional<BackendType> type = BackendType.of(name);
        if (type.isEmpty() && !name.isEmpty()) entry.mistake("type", unknownType(name));
        Optional<Map<String, Object>> given = entry.object("config");
        Optional<BackendConfig> config = type.map(each -> given.isPresent()
                ? BackendConfig.read(each, given.get(), entry.nested("config").orElseThrow())
                : BackendConfig.of(each, Map.of(), entry.path("config")));
        entry.close();
        return config;
    }

    private static String unknownType(String name) {
        if (name.equals("host")) return NO_HOST;
        return "is not one of " + String.join(", ", TYPES)
                + Nearest.to(name, TYPES)
                        .map(" (did you mean '%s'?)"::formatted)
                        .orElse("");
    }
}
