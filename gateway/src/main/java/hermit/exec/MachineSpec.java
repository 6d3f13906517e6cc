package hermit.exec;

import java.util.Optional;
import java.util.UUID;

/// Which machine a row wants. All that a backend knows of the row.
///
/// - `generation`: of the machine that the row last knew; 0 if there has been none.
/// - `externalId`: how the provider calls that machine.
public record MachineSpec(
        UUID sandboxId,
        UUID agentUid,
        String agentId,
        String alias,
        BackendConfig config,
        long generation,
        Optional<String> externalId) {}
