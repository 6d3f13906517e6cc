package hermit.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.JsonTree;

/// JSON that a person typed as an argument.
final class JsonArgument {
    private JsonArgument() {}

    static ObjectNode object(String option, String text) throws CliFailure {
        return object(option, text, "{\"image\":\"ubuntu:24.04\"}");
    }

    static ObjectNode object(String option, String text, String example) throws CliFailure {
        if (parse(option, text) instanceof ObjectNode object) return object;
        throw CliFailure.usage("%s must be a JSON object such as %s".formatted(option, example));
    }

    private static JsonNode parse(String option, String text) throws CliFailure {
        try {
            return JsonTree.parse(text);
        } catch (JsonProcessingException e) {
            throw CliFailure.usage("%s is not JSON: %s".formatted(option, e.getOriginalMessage()));
        }
    }

    /// JSON where it is JSON, otherwise the text itself: `4001` is a number, `0.0.0.0` a text.
    static JsonNode valueOrText(String text) {
        try {
            JsonNode value = JsonTree.parse(text);
            return value.isMissingNode() ? JsonTree.text(text) : value;
        } catch (JsonProcessingException e) {
            return JsonTree.text(text);
        }
    }
}
