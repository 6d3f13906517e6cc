package hermit.model;

import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.model.anthropic.AnthropicStreamingChatModel;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import dev.langchain4j.model.output.FinishReason;
import dev.langchain4j.model.output.TokenUsage;
import hermit.config.ModelSettings;
import hermit.config.Secret;
import hermit.turn.Answer;
import hermit.turn.Model;
import hermit.turn.ModelFailure;
import hermit.turn.ModelInfo;
import hermit.turn.Prompt;
import hermit.turn.Usage;
import hermit.world.World;
import java.math.BigDecimal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A model that LangChain4j speaks to.
final class ChatModel implements Model {
    private static final String OPENAI = "https://api.openai.com/v1";
    private static final String ANTHROPIC = "https://api.anthropic.com/v1";
    /// For servers that want no key: LangChain4j wants one.
    private static final String NO_KEY = "none";

    private final ModelInfo info;
    private final StreamingChatModel chat;
    private final Calls calls;
    private final Failures failures;

    ChatModel(ModelInfo info, ModelSettings settings, ModelHttp http, World world) {
        this.info = info;
        this.chat = switch (settings.provider()) {
            case ANTHROPIC -> anthropic(settings, http);
            case OPENAI_COMPATIBLE -> openAi(settings, http);
        };
        this.calls = new Calls(world);
        this.failures = new Failures(info.name(), settings.apiKey(), world.clock());
    }

    @Override
    public ModelInfo info() {
        return info;
    }

    @Override
    public Answer answer(Prompt prompt, Model.Listener told) throws ModelFailure, InterruptedException {
        var listener = new Listener(told);
        try {
            ModelHttp.Reading.ofAtMost(info.maxOutputTokens(), told::heard)
                    .during(() -> chat.chat(Requests.of(prompt), listener));
        } catch (RuntimeException e) {
            listener.onError(e);
        }
        if (Thread.interrupted()) throw new InterruptedException("the model is not listened to any more");
        if (listener.error.isPresent()) throw failures.of(listener.error.get());
        ChatResponse response = listener.response.orElseThrow(() -> failures.brokenOff());
        FinishReason finish = response.finishReason();
        // A stream that ends without a word on why was cut off on the way.
        if (finish == null) throw failures.brokenOff();
        boolean cut = finish == FinishReason.LENGTH;
        AiMessage message = response.aiMessage();
        return new Answer(
                message.text() == null ? "" : message.text(),
                calls.of(message.toolExecutionRequests(), cut ? Optional.of(info.maxOutputTokens()) : Optional.empty()),
                usage(response.tokenUsage()),
                cut);
    }

    private static StreamingChatModel openAi(ModelSettings settings, ModelHttp http) {
        String url = settings.baseUrl().map(Object::toString).orElse(OPENAI);
        var builder = OpenAiStreamingChatModel.builder()
                .httpClientBuilder(http.asBuilder())
                .baseUrl(url)
                .modelName(settings.model());
        settings.apiKey().map(Secret::reveal).ifPresent(builder::apiKey);
        settings.temperature().map(BigDecimal::doubleValue).ifPresent(builder::temperature);
        // OpenAI's newer models refuse the older name, and most other servers do not know the newer one.
        if (url.startsWith(OPENAI)) builder.maxCompletionTokens(settings.maxOutputTokens());
        else builder.maxTokens(settings.maxOutputTokens());
        return builder.build();
    }

    private static StreamingChatModel anthropic(ModelSettings settings, ModelHttp http) {
        var builder = AnthropicStreamingChatModel.builder()
                .httpClientBuilder(http.asBuilder())
                .baseUrl(settings.baseUrl().map(Object::toString).orElse(ANTHROPIC))
                .apiKey(settings.apiKey().map(Secret::reveal).orElse(NO_KEY))
                .modelName(settings.model())
                .maxTokens(settings.maxOutputTokens())
                // What does not change from step to step is paid for once.
                .cacheSystemMessages(true)
                .cacheTools(true);
        settings.temperature().map(BigDecimal::doubleValue).ifPresent(builder::temperature);
        return builder.build();
    }

    private static Usage usage(@Nullable TokenUsage usage) {
        if (usage == null) return Usage.NONE;
        return new Usage(count(usage.inputTokenCount()), count(usage.outputTokenCount()));
    }

    private static long count(@Nullable Integer tokens) {
        return tokens == null ? 0 : tokens;
    }

    private static final class Listener implements StreamingChatResponseHandler {
        private final Model.Listener told;
        private Optional<ChatResponse> response = Optional.empty();
        private Optional<Throwable> error = Optional.empty();

        Listener(Model.Listener told) {
            this.told = told;
        }

        @Override
        public void onPartialResponse(String piece) {
            told.said(piece);
        }

        @Override
        public void onCompleteResponse(ChatResponse complete) {
            response = Optional.of(complete);
        }

        @Override
        public void onError(Throwable e) {
            if (error.isEmpty()) error = Optional.of(e);
        }
    }
}
