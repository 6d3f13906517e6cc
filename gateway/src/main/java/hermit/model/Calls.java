package hermit.model;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import hermit.json.Json;
import hermit.problem.Documents;
import hermit.turn.WantedCall;
import hermit.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The calls that a model asks for, as it has written them, and back as it is shown them later.
final class Calls {
    private static final int LONGEST_NAME = 64;

    private final World world;

    Calls(World world) {
        this.world = world;
    }

    /// `cutAt`: after how many tokens the answer was cut off, if it was. Its last call may lack its end then.
    List<WantedCall> of(@Nullable List<ToolExecutionRequest> requests, Optional<Integer> cutAt) {
        if (requests == null) return List.of();
        var calls = new ArrayList<WantedCall>();
        for (var each : requests) calls.add(of(each, cutAt.filter(_ -> calls.size() == requests.size() - 1)));
        return calls;
    }

    private WantedCall of(ToolExecutionRequest request, Optional<Integer> cutAt) {
        UUID id = world.newId();
        UUID exec = world.newId();
        String name = Objects.requireNonNullElse(request.name(), "");
        String arguments = Objects.requireNonNullElse(request.arguments(), "").strip();
        try {
            var document = Json.object(arguments.isEmpty() ? "{}" : arguments);
            // Many models write null for what they do not want to give.
            document.values().removeIf(Objects::isNull);
            // Where LangChain4j has heard nothing of the arguments, it says {}.
            Optional<String> why = document.isEmpty() ? cutAt.map(Calls::cut) : Optional.empty();
            return new WantedCall(id, exec, name, Documents.copyOf(document), why);
        } catch (Json.Broken e) {
            String why = cutAt.map(Calls::cut).orElse("must be a JSON object, and were not");
            return new WantedCall(id, exec, name, Map.of(), Optional.of(why));
        }
    }

    private static String cut(int tokens) {
        return "were cut off: the answer had reached its limit of %d tokens. Write less at once: a long file in pieces,"
                        .formatted(tokens)
                + " each in an answer of its own";
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
