package hermit.turn;

import hermit.tool.ToolSchema;
import java.util.List;

/// What a model is asked.
///
/// - `system`: what it is told before anything else.
/// - `messages`: the conversation so far, whose last word is not the model's.
/// - `tools`: what it may call.
public record Prompt(String system, List<Message> messages, List<ToolSchema> tools) {
    public Prompt {
        messages = List.copyOf(messages);
        tools = List.copyOf(tools);
    }
}
