package hermit.config;

import hermit.problem.Fields;
import java.math.BigDecimal;
import java.net.URI;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// A language model that agents may name. Address and key are the operator's: an agent only knows the
/// entry's name.
///
/// - `baseUrl`: empty is the provider's own address; OpenAI's for `openai_compatible`.
/// - `model`: what the provider calls it.
/// - `apiKeyEnv`: the variable that holds the key; `apiKey` is what was found there.
/// - `maxOutputTokens`: what one answer may have.
/// - `contextTokens`: what a prompt and its answer may have together.
/// - `temperature`: empty leaves it to the provider.
public record ModelSettings(
        Provider provider,
        Optional<URI> baseUrl,
        String model,
        Optional<String> apiKeyEnv,
        Optional<Secret> apiKey,
        int maxOutputTokens,
        int contextTokens,
        Optional<BigDecimal> temperature) {

    /// The protocol that the model's server speaks.
    public enum Provider {
        ANTHROPIC,
        /// OpenAI's chat completions, which OpenRouter, vLLM, Ollama, llama.cpp and others speak, too.
        OPENAI_COMPATIBLE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");
    private static final Pattern MODEL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/@-]{0,254}");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");

    private static final int DEFAULT_OUTPUT = 8_192;
    private static final int DEFAULT_CONTEXT = 128_000;
    private static final int LEAST_CONTEXT = 4_096;
    private static final int MOST_TOKENS = 10_000_000;

    static Map<String, ModelSettings> readAll(Fields document, Environment environment, List<String> warnings) {
        var models = new LinkedHashMap<String, ModelSettings>();
        document.eachNested("models", (name, entry) -> {
            if (!NAME.matcher(name).matches()) entry.mistake("", "a model's name has letters, digits and . _ -");
            models.put(name, read(entry, environment, warnings));
        });
        return Collections.unmodifiableMap(models);
    }

    private static ModelSettings read(Fields entry, Environment environment, List<String> warnings) {
        Optional<String> variable = entry.text("api_key_env", VARIABLE, "the name of an environment variable");
        Optional<Secret> key = variable.flatMap(environment::secret);
        if (variable.isPresent() && key.isEmpty())
            warnings.add("%s: the variable %s is not set".formatted(entry.path("api_key_env"), variable.get()));
        Optional<URI> baseUrl = entry.text("base_url").flatMap(text -> {
            Optional<URI> url = Addresses.web(text);
            if (url.isEmpty()) entry.mistake("base_url", "must be an http or https address without credentials");
            return url;
        });
        var settings = new ModelSettings(
                entry.required("provider", entry.word("provider", Provider.class), Provider.ANTHROPIC),
                baseUrl,
                entry.required("model", entry.text("model", MODEL, "letters, digits and . _ : / @ -"), ""),
                variable,
                key,
                Blocks.number(entry, "max_output_tokens", 1, MOST_TOKENS, DEFAULT_OUTPUT),
                Blocks.number(entry, "context_tokens", LEAST_CONTEXT, MOST_TOKENS, DEFAULT_CONTEXT),
                entry.decimal("temperature", "0", "2"));
        if (settings.maxOutputTokens > settings.contextTokens / 2)
            entry.mistake("max_output_tokens", "must leave at least half of context_tokens to the prompt");
        entry.close();
        return settings;
    }
}
