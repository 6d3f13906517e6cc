package hermit.sandbox;

import hermit.problem.GatewayException.Invalid;
import hermit.problem.Nearest;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The operator's presets, in the order in which they are written, and the one that new agents get unless they say
/// otherwise.
public final class Presets {
    private final Map<String, Preset> byName;
    private final Optional<Preset> auto;

    /// Throws [IllegalArgumentException] if `autoProvision` names none of them.
    public Presets(List<Preset> presets, Optional<String> autoProvision) {
        var map = new LinkedHashMap<String, Preset>();
        presets.forEach(preset -> map.put(preset.name(), preset));
        this.byName = Collections.unmodifiableMap(map);
        this.auto = autoProvision.map(name -> Optional.ofNullable(map.get(name))
                .orElseThrow(() -> new IllegalArgumentException("no preset " + name)));
    }

    public List<Preset> all() {
        return List.copyOf(byName.values());
    }

    public Optional<Preset> auto() {
        return auto;
    }

    /// Throws [Invalid] at `path`, naming the nearest preset.
    public Preset get(String name, String path) {
        Preset preset = byName.get(name);
        if (preset != null) return preset;
        String hint = Nearest.to(name, byName.keySet())
                .map(" (did you mean '%s'?)"::formatted)
                .orElse("");
        throw new Invalid(path, "there is no such preset" + hint);
    }
}
