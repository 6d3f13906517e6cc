package hermit.backend.docker;

import hermit.exec.MachineSpec;
import hermit.exec.Uuids;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// The labels by which a gateway knows its own things again.
final class Labels {
    /// Id of the gateway's instance. Nothing without it, or with another one, is ever touched.
    static final String INSTANCE = "hermit.instance";
    /// Uid of the agent.
    static final String AGENT = "hermit.agent";
    /// Id of the sandbox's row.
    static final String SANDBOX = "hermit.sandbox";

    static final String GENERATION = "hermit.generation";
    /// Hash of everything that the container was made from.
    static final String CONFIG = "hermit.config";
    /// Whose commands run in the container, as its config names that user.
    static final String USER = "hermit.user";
    /// Of a network: which kind it is.
    static final String NETWORK = "hermit.network";
    /// Of a container that is not a sandbox: what it is for.
    static final String HELPER = "hermit.helper";
    /// Of an image or a volume: SHA-256 of the keeper in it. All gateways on an engine share these.
    static final String KEEPER = "hermit.keeper";

    private Labels() {}

    static Map<String, String> ofContainer(
            UUID instance, MachineSpec spec, long generation, String config, String user) {
        return Map.of(
                INSTANCE,
                instance.toString(),
                AGENT,
                spec.agentUid().toString(),
                SANDBOX,
                spec.sandboxId().toString(),
                GENERATION,
                Long.toString(generation),
                CONFIG,
                config,
                USER,
                user);
    }

    /// Whether a container is the one of this row: all that names an owner must be there and equal.
    static boolean own(Map<String, String> labels, UUID instance, MachineSpec spec) {
        return instance.toString().equals(labels.get(INSTANCE))
                && spec.agentUid().toString().equals(labels.get(AGENT))
                && spec.sandboxId().toString().equals(labels.get(SANDBOX))
                && generation(labels) > 0
                && labels.containsKey(CONFIG);
    }

    /// 0 if there is none.
    static long generation(Map<String, String> labels) {
        String text = labels.getOrDefault(GENERATION, "");
        return text.matches("[0-9]{1,18}") ? Long.parseLong(text) : 0;
    }

    static Optional<UUID> sandbox(Map<String, String> labels) {
        return Uuids.parse(labels.getOrDefault(SANDBOX, ""));
    }

    static Optional<UUID> agent(Map<String, String> labels) {
        return Uuids.parse(labels.getOrDefault(AGENT, ""));
    }
}
