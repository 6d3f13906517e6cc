package hermit.backend.daytona;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.backend.cloud.CloudMachine;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/// A sandbox as the API shows it. What is not needed is not read, and of what is, only the id must be
/// there.
///
/// - `word`: the provider's word for the state, also where [SandboxState] does not know it.
/// - `toolbox`: the address of its daemon's proxy, without the sandbox's id.
record Sandbox(
        String id,
        String name,
        String word,
        String errorReason,
        boolean recoverable,
        Map<String, String> labels,
        OptionalInt autoStop,
        Optional<Instant> createdAt,
        Optional<String> toolbox) {
    /// In [CloudMachine#access].
    static final String TOOLBOX = "toolbox";

    private static final int LONGEST_REASON = 500;

    Sandbox {
        labels = Map.copyOf(labels);
    }

    /// Empty if it is none.
    static Optional<Sandbox> read(JsonNode json) {
        String id = json.path("id").asText("");
        if (id.isEmpty()) return Optional.empty();
        var stop = json.path("autoStopInterval");
        return Optional.of(new Sandbox(
                id,
                json.path("name").asText(""),
                json.path("state").asText("unknown"),
                Api.line(json.path("errorReason").asText(""), LONGEST_REASON),
                json.path("recoverable").asBoolean(false),
                texts(json.path("labels")),
                stop.isInt() ? OptionalInt.of(stop.asInt()) : OptionalInt.empty(),
                time(json.path("createdAt").asText("")),
                Optional.of(json.path("toolboxProxyUrl").asText("")).filter(url -> !url.isEmpty())));
    }

    SandboxState state() {
        return SandboxState.of(word);
    }

    CloudMachine toMachine() {
        var access = toolbox.map(url -> Map.of(TOOLBOX, url)).orElse(Map.of());
        return new CloudMachine(id, state().live(), detail(), labels, createdAt, access);
    }

    Sandbox withToolbox(String url) {
        return new Sandbox(id, name, word, errorReason, recoverable, labels, autoStop, createdAt, Optional.of(url));
    }

    /// The state in the provider's words, and why.
    String detail() {
        return errorReason.isEmpty() ? Api.line(word, 40) : "%s: %s".formatted(Api.line(word, 40), errorReason);
    }

    private static Map<String, String> texts(JsonNode object) {
        Map<String, String> texts = new LinkedHashMap<>();
        object.properties()
                .forEach(each -> texts.put(each.getKey(), each.getValue().asText("")));
        return texts;
    }

    private static Optional<Instant> time(String text) {
        try {
            return text.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(text));
        } catch (DateTimeParseException _) {
            return Optional.empty(); // told to people only
        }
    }
}
