package hermit.backend.cloud;

import hermit.exec.MachineSpec;
import hermit.exec.Uuids;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// What the gateway writes on each machine that it makes, so that it knows its own again: as labels, metadata or tags,
/// whatever the provider has. Values are plain words, 36 characters at most.
public record Marks(UUID instance, UUID agent, UUID sandbox, long generation) {
    public static final String INSTANCE = "hermit-instance";
    public static final String AGENT = "hermit-agent";
    public static final String SANDBOX = "hermit-sandbox";
    public static final String GENERATION = "hermit-generation";

    public static Marks of(UUID instance, MachineSpec spec, long generation) {
        return new Marks(instance, spec.agentUid(), spec.sandboxId(), generation);
    }

    public Map<String, String> toMap() {
        return Map.of(
                INSTANCE,
                instance.toString(),
                AGENT,
                agent.toString(),
                SANDBOX,
                sandbox.toString(),
                GENERATION,
                Long.toString(generation));
    }

    /// The row that a machine was made for, if it carries that mark.
    public static Optional<UUID> sandboxOf(Map<String, String> marks) {
        return Optional.ofNullable(marks.get(SANDBOX)).flatMap(Uuids::parse);
    }

    /// Empty if it does not carry that mark, or something else wrote there.
    static Optional<Long> generationOf(Map<String, String> marks) {
        return Optional.ofNullable(marks.get(GENERATION))
                .filter(text -> text.matches("[0-9]{1,18}"))
                .map(Long::valueOf);
    }
}
