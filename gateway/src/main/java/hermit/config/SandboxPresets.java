package hermit.config;

import hermit.problem.Fields;
import hermit.problem.Nearest;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// The presets by name, in the order in which they are written, and the one that an agent gets which asks for none.
public record SandboxPresets(Map<String, SandboxPreset> byName, Optional<String> autoProvision) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

    public SandboxPresets {
        byName = Collections.unmodifiableMap(new LinkedHashMap<>(byName));
        if (autoProvision.isPresent() && !byName.containsKey(autoProvision.get()))
            throw new IllegalArgumentException("No preset '%s'".formatted(autoProvision.get()));
    }

    /// Reads `sandboxPresets` and `autoProvisionSandbox`.
    static SandboxPresets read(Fields document) {
        var presets = new LinkedHashMap<String, SandboxPreset>();
        var names = new HashSet<String>();
        document.eachNested("sandboxPresets", (name, entry) -> {
            names.add(name);
            if (!NAME.matcher(name).matches()) entry.mistake("", "a preset's name has letters, digits and . _ -");
            SandboxPreset.read(entry).ifPresent(preset -> presets.put(name, preset));
        });
        Optional<String> auto =
                document.isNull("autoProvisionSandbox") ? Optional.empty() : document.text("autoProvisionSandbox");
        auto.filter(name -> !names.contains(name)).ifPresent(name -> {
            String hint = Nearest.to(name, names)
                    .map(" (did you mean '%s'?)"::formatted)
                    .orElse("");
            document.mistake("autoProvisionSandbox", "names no entry of sandboxPresets" + hint);
        });
        return new SandboxPresets(presets, auto.filter(presets::containsKey));
    }
}
