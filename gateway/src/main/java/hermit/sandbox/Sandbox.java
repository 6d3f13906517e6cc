package hermit.sandbox;

import hermit.agent.AgentId;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.MachineSpec;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// A row.
///
/// - `generation`: grows when the machine behind the row is replaced; 0 before the first.
/// - `runtimeState`: what the backend wants back after a restart; private to it, never shown.
/// - `lastUsedAt`: the last sign of use, exact to 5 s; the idle clock goes on from here after a restart.
/// - `version`: grows with each change of the config; an update states the one that it was made for.
public record Sandbox(
        SandboxId id,
        UUID agentUid,
        AgentId agentId,
        Alias alias,
        BackendConfig config,
        SandboxStatus status,
        long generation,
        Map<String, Object> runtimeState,
        Instant createdAt,
        Instant lastUsedAt,
        long version) {

    public BackendType type() {
        return config.type();
    }

    public boolean isLive() {
        return !(status instanceof SandboxStatus.Deleted);
    }

    /// How the provider calls the machine, if there has been one.
    public Optional<String> externalId() {
        return switch (status) {
            case SandboxStatus.Pending _ -> Optional.empty();
            case SandboxStatus.Provisioned provisioned -> Optional.of(provisioned.externalId());
            case SandboxStatus.Deleted deleted -> deleted.leftBehind();
        };
    }

    public Optional<Instant> lastSeenAt() {
        return status instanceof SandboxStatus.Provisioned provisioned
                ? Optional.of(provisioned.lastSeenAt())
                : Optional.empty();
    }

    MachineSpec spec() {
        return new MachineSpec(id.value(), agentUid, agentId.value(), alias.value(), config, generation, externalId());
    }
}
