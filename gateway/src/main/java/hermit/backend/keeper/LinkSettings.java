package hermit.backend.keeper;

import hermit.exec.ByteSize;
import java.util.Map;
import java.util.Optional;

/// What all commands of one machine have in common.
///
/// - `user`: as the keeper takes it, e.g. `root`, `1000` or `1000:1000`.
/// - `agentHome`: the directory that commands start in, and their `HOME`.
/// - `imageEnv`: the environment that the image defines; what a login shell makes of it is what commands get.
/// - `sandboxEnv`: on top of that, from the sandbox's own config.
/// - `keeper`: where the keeper's program lies in the machine.
/// - `diskLimit`: what the agent home may take on the disk; empty: the keeper does not look.
public record LinkSettings(
        String user,
        String agentHome,
        Map<String, String> imageEnv,
        Map<String, String> sandboxEnv,
        String keeper,
        Optional<ByteSize> diskLimit) {
    /// Where a Docker sandbox has it.
    public static final String KEEPER = "/opt/hermit/keeper";

    public LinkSettings {
        imageEnv = Map.copyOf(imageEnv);
        sandboxEnv = Map.copyOf(sandboxEnv);
    }

    public LinkSettings(
            String user,
            String agentHome,
            Map<String, String> imageEnv,
            Map<String, String> sandboxEnv,
            String keeper) {
        this(user, agentHome, imageEnv, sandboxEnv, keeper, Optional.empty());
    }

    /// The limit as a START states it.
    Optional<DiskLimit> disk(boolean newFiles) {
        return diskLimit.map(limit -> new DiskLimit(limit, agentHome, newFiles));
    }

    /// The user without a group.
    String userName() {
        int colon = user.indexOf(':');
        return colon < 0 ? user : user.substring(0, colon);
    }
}
