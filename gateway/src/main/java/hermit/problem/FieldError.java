package hermit.problem;

/// One mistake in a document. `path` names the field as in `config.memory_limit` or `sandboxPresets.dev.type`; empty
/// for the whole.
public record FieldError(String path, String message) {}
