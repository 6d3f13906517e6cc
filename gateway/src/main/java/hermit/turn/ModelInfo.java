package hermit.turn;

/// One of the operator's models, as far as everybody may know it: no address, no key, no name of a variable.
///
/// - `name`: by which agents choose it.
/// - `provider`: the protocol that its server speaks, `anthropic` or `openai_compatible`.
/// - `model`: what the provider calls it.
/// - `contextTokens`: what a prompt and its answer may have together.
/// - `maxOutputTokens`: what one answer may have.
public record ModelInfo(String name, String provider, String model, int contextTokens, int maxOutputTokens) {}
