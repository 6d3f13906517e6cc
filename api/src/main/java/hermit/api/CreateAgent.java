package hermit.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.Map;
import java.util.Optional;

/// `POST /api/agents`. What is empty is not sent, so that the gateway's default applies.
///
/// - `sandbox`: the name of a preset, or JSON's null for none at all.
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record CreateAgent(
        String id,
        Optional<String> name,
        Optional<JsonNode> sandbox,
        Optional<Map<String, Object>> config,
        Optional<Map<String, Object>> security) {

    /// With the sandbox that the operator provides for every new agent.
    public static CreateAgent withDefaultSandbox(String id) {
        return new CreateAgent(id, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    public static CreateAgent withPreset(String id, String preset) {
        return withDefaultSandbox(id).sandbox(new TextNode(preset));
    }

    public static CreateAgent withoutSandbox(String id) {
        return withDefaultSandbox(id).sandbox(NullNode.getInstance());
    }

    public CreateAgent named(String newName) {
        return new CreateAgent(id, Optional.of(newName), sandbox, config, security);
    }

    private CreateAgent sandbox(JsonNode choice) {
        return new CreateAgent(id, name, Optional.of(choice), config, security);
    }
}
