package hermit.api;

import java.util.Map;

/// `PATCH /api/agents/{id}/sandboxes/{alias}`: another config in place of the whole old one.
public record PatchSandbox(Map<String, Object> config) {}
