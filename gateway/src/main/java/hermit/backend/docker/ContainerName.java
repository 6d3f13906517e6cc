package hermit.backend.docker;

import hermit.exec.MachineSpec;

/// How a sandbox's container is called: for people, who read it in `docker ps`. Labels say whose it is.
final class ContainerName {
    private ContainerName() {}

    /// `hermit-<agent>-<alias>-<first 8 hex digits of the row's id>`: at most 143 characters, all of which the engine
    /// takes. The end tells a row from an earlier one of the same alias.
    static String of(MachineSpec spec) {
        return "hermit-%s-%s-%s"
                .formatted(
                        spec.agentId(),
                        spec.alias(),
                        spec.sandboxId().toString().substring(0, 8));
    }
}
