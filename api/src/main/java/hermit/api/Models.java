package hermit.api;

import java.util.Map;

/// The operator's models by name, from which an agent's config chooses one.
public record Models(Map<String, Model> models) {
    /// - `provider`: `anthropic` or `openai_compatible`.
    /// - `model`: what the provider calls it.
    public record Model(String provider, String model, int contextTokens, int maxOutputTokens) {}
}
