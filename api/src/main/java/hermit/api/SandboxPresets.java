package hermit.api;

import java.util.Map;
import java.util.Optional;

/// The operator's presets by name, and the one that a new agent gets unless it says otherwise.
public record SandboxPresets(Map<String, Preset> presets, Optional<String> autoProvisionSandbox) {
    public record Preset(String type, Map<String, Object> config) {}
}
