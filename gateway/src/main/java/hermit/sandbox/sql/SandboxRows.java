package hermit.sandbox.sql;

import hermit.agent.AgentId;
import hermit.db.Jsonb;
import hermit.db.generated.tables.records.SandboxesRecord;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.sandbox.Alias;
import hermit.sandbox.Sandbox;
import hermit.sandbox.SandboxId;
import hermit.sandbox.SandboxStatus;
import java.util.Optional;

/// A sandbox as columns, and back.
final class SandboxRows {
    static final String PENDING = "pending";
    static final String PROVISIONED = "provisioned";
    static final String DELETED = "deleted";

    private SandboxRows() {}

    static SandboxesRecord write(Sandbox sandbox) {
        var row = new SandboxesRecord();
        row.setId(sandbox.id().value());
        row.setAgentUid(sandbox.agentUid());
        row.setAlias(sandbox.alias().value());
        row.setType(sandbox.type().toString());
        row.setConfig(Jsonb.of(sandbox.config().given()));
        row.setStatus(sandbox.status().word());
        sandbox.externalId().ifPresent(row::setExternalId);
        row.setRuntimeState(Jsonb.of(sandbox.runtimeState()));
        row.setGeneration(sandbox.generation());
        row.setVersion(sandbox.version());
        row.setCreatedAt(sandbox.createdAt());
        sandbox.lastSeenAt().ifPresent(row::setLastSeenAt);
        row.setLastUsedAt(sandbox.lastUsedAt());
        if (sandbox.status() instanceof SandboxStatus.Deleted deleted) row.setDeletedAt(deleted.at());
        return row;
    }

    static Sandbox read(SandboxesRecord row, String agentId) {
        return read(row, agentId, status(row));
    }

    /// The row as it was before it was deleted: deleting it keeps everything but the status.
    static Sandbox readAsLive(SandboxesRecord row, String agentId) {
        return read(row, agentId, live(row));
    }

    private static Sandbox read(SandboxesRecord row, String agentId, SandboxStatus status) {
        BackendType type = BackendType.of(row.getType())
                .orElseThrow(() -> new IllegalStateException("A stored sandbox has the type " + row.getType()));
        return new Sandbox(
                new SandboxId(row.getId()),
                row.getAgentUid(),
                new AgentId(agentId),
                new Alias(row.getAlias()),
                Jsonb.read(row.getConfig(), document -> BackendConfig.of(type, document, "config")),
                status,
                row.getGeneration(),
                Jsonb.object(row.getRuntimeState()),
                row.getCreatedAt(),
                row.getLastUsedAt(),
                row.getVersion());
    }

    private static SandboxStatus status(SandboxesRecord row) {
        return row.getStatus().equals(DELETED)
                ? new SandboxStatus.Deleted(row.getDeletedAt(), Optional.ofNullable(row.getExternalId()))
                : live(row);
    }

    private static SandboxStatus live(SandboxesRecord row) {
        return row.getExternalId() == null
                ? new SandboxStatus.Pending()
                : new SandboxStatus.Provisioned(row.getExternalId(), row.getLastSeenAt());
    }
}
