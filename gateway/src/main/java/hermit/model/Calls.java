package hermit.model;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import hermit.json.Json;
import hermit.problem.Documents;
import hermit.turn.WantedCall;
import hermit.world.World;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The calls that a model asks for, as it has written them, and back as it is shown them later.
final class Calls {
    /// Of what a model has written where JSON should be: enough to see what is wrong.
    private static final int SHOWN = 2_000;

    private static final int LONGEST_NAME = 64;

    private final World world;

    Calls(World world) {
        this.world = world;
    }

    List<WantedCall> of(@Nullable List<ToolExecutionRequest> requests) {
        if (requests == null) return List.of();
        return requests.stream().map(this::of).toList();
    }

    private WantedCall of(ToolExecutionRequest request) {
        UUID id = world.newId();
        UUID exec = world.newId();
        String name = Objects.requireNonNullElse(request.name(), "");
        String arguments = Objects.requireNonNullElse(request.arguments(), "").strip();
        if (arguments.isEmpty()) return new WantedCall(id, exec, name, Map.of(), Optional.empty());
        try {
            var document = Json.object(arguments);
            // Many models write null for what they do not want to give.
            document.values().removeIf(Objects::isNull);
            return new WantedCall(id, exec, name, Documents.copyOf(document), Optional.empty());
        } catch (Json.Broken e) {
            String begin = arguments.length() <= SHOWN ? arguments : arguments.substring(0, SHOWN);
            return new WantedCall(id, exec, name, Map.of(), Optional.of(begin));
        }
    }

    static ToolExecutionRequest shown(WantedCall call) {
        return ToolExecutionRequest.builder()
                .id(id(call.id()))
                .name(name(call.tool()))
                .arguments(Json.write(call.arguments()))
                .build();
    }

    /// In a shape that every provider takes.
    static String id(UUID call) {
        return "call_" + call.toString().replace("-", "");
    }

    /// What a model has made up may be a name that no provider takes back.
    static String name(String tool) {
        String clean = tool.replaceAll("[^A-Za-z0-9_-]", "_");
        if (clean.isEmpty()) return "unknown";
        return clean.length() <= LONGEST_NAME ? clean : clean.substring(0, LONGEST_NAME);
    }
}
