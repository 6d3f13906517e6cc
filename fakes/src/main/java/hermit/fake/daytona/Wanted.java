package hermit.fake.daytona;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What a create asks for.
record Wanted(
        Optional<String> name,
        Optional<String> snapshot,
        Optional<String> dockerfile,
        String user,
        Map<String, String> env,
        Map<String, String> labels,
        String target,
        int cpu,
        int memory,
        int disk,
        int autoStop,
        int autoArchive,
        int autoDelete,
        Map<String, JsonNode> shown) {
    /// Without an effect here, and shown again.
    private static final List<String> SHOWN =
            List.of("volumes", "networkBlockAll", "networkAllowList", "domainAllowList");
    private static final List<String> RESOURCES = List.of("cpu", "memory", "disk");
    /// Snapshots whose name begins so do not exist, and images cannot be built.
    private static final String MISSING = "missing";

    Wanted {
        env = Map.copyOf(env);
        labels = Map.copyOf(labels);
        shown = Map.copyOf(shown);
    }

    static Wanted read(JsonNode body) {
        List<String> mistakes = new ArrayList<>();
        boolean built = body.has("buildInfo");
        boolean sized = RESOURCES.stream().anyMatch(body::has);
        if (built && body.has("snapshot"))
            throw Refused.api(400, "Cannot specify a snapshot when using a build info entry");
        if (!built && sized) throw Refused.api(400, "Cannot specify Sandbox resources when using a snapshot");
        for (String each : List.of("env", "labels"))
            if (body.has(each) && !body.get(each).isObject()) mistakes.add(each + " must be an object");
        for (String each : List.of("autoStopInterval", "autoArchiveInterval", "ttlMinutes"))
            if (body.has(each) && (!body.get(each).isInt() || body.get(each).asInt() < 0))
                mistakes.add(each + " must be a non-negative integer");
        for (String each : RESOURCES)
            if (body.has(each) && !body.get(each).isInt()) mistakes.add(each + " must be an integer number");
        if (!mistakes.isEmpty()) throw Refused.api(400, String.join(", ", mistakes));
        var snapshot = text(body, "snapshot").or(() -> built ? Optional.empty() : Optional.of("daytona-small"));
        if (snapshot.filter(name -> name.startsWith(MISSING)).isPresent())
            throw Refused.api(
                    400,
                    "Snapshot %s not found. Did you add it through the Daytona Dashboard?".formatted(snapshot.get()));
        Map<String, JsonNode> shown = new LinkedHashMap<>();
        for (String each : SHOWN) if (body.has(each)) shown.put(each, body.get(each));
        return new Wanted(
                text(body, "name"),
                snapshot,
                text(body.path("buildInfo"), "dockerfileContent"),
                text(body, "user").orElse("daytona"),
                Json.texts(body.path("env")),
                Json.texts(body.path("labels")),
                text(body, "target").orElse("us"),
                body.path("cpu").asInt(1),
                body.path("memory").asInt(1),
                body.path("disk").asInt(3),
                body.path("autoStopInterval").asInt(15),
                body.path("autoArchiveInterval").asInt(10_080),
                body.path("autoDeleteInterval").asInt(-1),
                shown);
    }

    boolean cannotBeBuilt() {
        return dockerfile.filter(text -> text.startsWith("FROM " + MISSING)).isPresent();
    }

    private static Optional<String> text(JsonNode object, String key) {
        return Optional.ofNullable(object.get(key)).filter(JsonNode::isTextual).map(JsonNode::asText);
    }
}
