package hermit.api;

/// Tokens, as the model's provider counts them.
public record TokenUsage(long inputTokens, long outputTokens) {}
