package hermit.agent;

import java.time.Instant;
import java.util.UUID;

/// A live agent.
///
/// - `uid`: never used again; the key of its sandboxes, workspace and labels.
/// - `version`: grows with each change of the config; what an `ETag` is made of.
public record Agent(
        UUID uid, AgentId id, String name, AgentConfig config, long version, Instant createdAt, Instant updatedAt) {}
