package hermit.model;

import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.request.ChatRequest;
import hermit.json.Json;
import hermit.turn.CallResult;
import hermit.turn.Message;
import hermit.turn.Prompt;
import java.util.ArrayList;
import java.util.List;

/// Prompts in LangChain4j's words.
final class Requests {
    private Requests() {}

    static ChatRequest of(Prompt prompt) {
        var messages = new ArrayList<ChatMessage>();
        messages.add(SystemMessage.from(prompt.system()));
        for (Message each : prompt.messages()) messages.addAll(of(each));
        var request = ChatRequest.builder().messages(messages);
        if (!prompt.tools().isEmpty())
            request.toolSpecifications(prompt.tools().stream().map(Schemas::of).toList());
        return request.build();
    }

    private static List<? extends ChatMessage> of(Message message) {
        return switch (message) {
            case Message.User(String text) -> List.of(UserMessage.from(text));
            case Message.Assistant(String text, var calls) -> {
                var said = AiMessage.builder();
                if (!text.isEmpty()) said.text(text);
                if (!calls.isEmpty())
                    said.toolExecutionRequests(calls.stream().map(Calls::shown).toList());
                yield List.of(said.build());
            }
            case Message.Results(var results) ->
                results.stream().map(Requests::of).toList();
        };
    }

    private static ToolExecutionResultMessage of(CallResult result) {
        return ToolExecutionResultMessage.builder()
                .id(Calls.id(result.call()))
                .toolName(Calls.name(result.tool()))
                .text(Json.write(result.document()))
                .isError(result.failed())
                .build();
    }
}
