package hermit.api;

import java.time.Instant;
import java.util.Map;

/// Something that happened in a session.
///
/// - `id`: its number; 1 for the first, without gaps.
/// - `type`: `user_message`, `text_delta`, `text_final`, `tool_call`, `tool_output`, `tool_result`,
///   `approval_required`, `approval_decided`, `turn_end`, `error` or `notice`.
/// - `data`: by the type.
public record SessionEvent(long id, String type, Instant at, Map<String, Object> data) {}
