package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.JsonTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// An approval as whoever decides sees it: all of what will run, and nothing of it hidden.
final class ApprovalText {
    /// Shown under names of their own.
    private static final Set<String> NAMED = Set.of("sandbox", "command", "argv", "env_names");

    private ApprovalText() {}

    /// What will run, or which file is meant, in one line.
    static String what(JsonNode call) {
        if (call.path("command").isTextual()) return ShownText.of(call.path("command"));
        if (call.path("argv").isArray()) return ShownText.of(ShownText.words(call.path("argv")));
        return ShownText.of(call.path("path").isTextual() ? call.path("path") : call);
    }

    /// The names of the variables; their values are not shown by the gateway.
    static String variables(JsonNode call) {
        List<String> names = new ArrayList<>();
        for (JsonNode name : call.path("env_names")) names.add(ShownText.of(name));
        return names.isEmpty() ? "—" : String.join(", ", names);
    }

    /// A line for each thing there is to know.
    static String details(JsonNode approval) {
        JsonNode call = approval.path("call");
        ObjectNode shown = JsonTree.object();
        shown.set("approval", approval.path("id"));
        shown.set("state", approval.path("state"));
        shown.set("agent", approval.path("agent_id"));
        shown.set("requester", approval.path("requester"));
        shown.set("session", approval.path("session_id"));
        shown.set("tool", approval.path("tool"));
        if (call.has("command") || call.has("argv")) {
            shown.put("command", what(call));
            shown.put("variables", variables(call));
        }
        for (var field : call.properties())
            if (!NAMED.contains(field.getKey())) shown.put(field.getKey(), ShownText.of(field.getValue()));
        shown.put("sandbox", sandbox(approval));
        shown.set("created_at", approval.path("created_at"));
        shown.set("expires_at", approval.path("expires_at"));
        for (String later : List.of("decided_at", "decided_by", "reason", "exec_id", "result", "finished_at"))
            if (approval.hasNonNull(later)) shown.put(later, ShownText.of(approval.path(later)));
        return Details.of(shown);
    }

    private static String sandbox(JsonNode approval) {
        return "%s (%s, generation %s)"
                .formatted(
                        ShownText.of(Details.value(approval.path("call").path("sandbox"))),
                        approval.path("sandbox_id").asText(),
                        approval.path("sandbox_generation").asText());
    }
}
