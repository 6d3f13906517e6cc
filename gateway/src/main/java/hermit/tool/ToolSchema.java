package hermit.tool;

import hermit.problem.Documents;
import java.util.Map;

/// A tool as it is offered to a program that chooses by itself what to call.
///
/// - `title`: for people, a few words.
/// - `description`: for a model: what it does, what comes back, and when another tool is better.
/// - `input`: a JSON schema of the arguments, an object. Only `type`, `properties`, `required`, `items`, `enum`,
///   bounds, `additionalProperties` and descriptions are used, which every model's provider takes.
public record ToolSchema(Tool tool, String title, String description, Map<String, Object> input) {
    public ToolSchema {
        input = Documents.copyOf(input);
    }
}
