package hermit.api;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// A sandbox's row.
///
/// - `config`: as it was given, without defaults.
/// - `status`: `pending`, `provisioned` or `deleted`.
/// - `externalId`: how the provider calls the machine.
/// - `lastSeenAt`: the last successful ensure.
/// - `generation`: how many machines the row has had.
/// - `capabilities`: what it can do beyond running a command to its end.
/// - `runtime`: the machine's live state, where it was asked for and is known.
public record Sandbox(
        UUID id,
        String agentId,
        String alias,
        String type,
        Map<String, Object> config,
        String status,
        Optional<String> externalId,
        Optional<Instant> lastSeenAt,
        long generation,
        Instant createdAt,
        Lifecycle lifecycle,
        List<String> capabilities,
        Optional<Observed> runtime) {
    public Sandbox {
        capabilities = List.copyOf(capabilities);
    }

    /// What is in force, and where each field comes from: `sandbox`, `agent` or `default`.
    public record Lifecycle(String start, String stop, int idleTimeoutMinutes, Origin origin) {
        public record Origin(String start, String stop, String idleTimeoutMinutes) {}
    }

    /// - `state`: `absent`, `starting`, `running`, `paused`, `stopping`, `stopped`, `error` or `unknown`.
    public record Observed(String state, String detail, Instant observedAt) {}
}
