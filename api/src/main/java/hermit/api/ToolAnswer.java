package hermit.api;

import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// What became of a call of a tool.
///
/// - `state`: `done`, or that of the approval that it asks for.
/// - `reason`: why it was denied, expired, was cancelled or is unknown.
/// - `result`: by the tool, once it is done; with `error {code, detail}` if an approved call has failed.
public record ToolAnswer(
        UUID callId,
        String tool,
        String state,
        Optional<UUID> approvalId,
        Optional<String> reason,
        Optional<Map<String, Object>> result) {}
