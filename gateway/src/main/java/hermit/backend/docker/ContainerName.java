package hermit.backend.docker;

import hermit.exec.MachineSpec;
import java.util.List;
import java.util.regex.Pattern;

/// How a sandbox's container is called: for people, who read it in `docker ps`. Labels say whose it is.
final class ContainerName {
    /// What agents and aliases may be called. Checked again here, where it becomes a name on the engine.
    private static final Pattern SLUG = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");

    private ContainerName() {}

    /// `hermit-<agent>-<alias>-<first 8 hex digits of the row's id>`: at most 143 characters, all of which the engine
    /// takes. The end tells a row from an earlier one of the same alias.
    static String of(MachineSpec spec) {
        for (String part : List.of(spec.agentId(), spec.alias()))
            if (!SLUG.matcher(part).matches()) throw new IllegalArgumentException("not a name: " + part);
        return "hermit-%s-%s-%s"
                .formatted(
                        spec.agentId(),
                        spec.alias(),
                        spec.sandboxId().toString().substring(0, 8));
    }
}
