package hermit.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Map;
import java.util.Optional;

/// `POST /api/agents/{id}/sandboxes`: a type with a config, or a preset. The alias is `default` unless given.
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record AddSandbox(
        Optional<String> type, Optional<String> preset, Optional<String> alias, Optional<Map<String, Object>> config) {
    public static AddSandbox ofType(String type, Optional<String> alias, Optional<Map<String, Object>> config) {
        return new AddSandbox(Optional.of(type), Optional.empty(), alias, config);
    }

    public static AddSandbox ofPreset(String preset, Optional<String> alias) {
        return new AddSandbox(Optional.empty(), Optional.of(preset), alias, Optional.empty());
    }
}
