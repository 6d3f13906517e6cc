package hermit.backend.keeper;

import java.util.Optional;

/// Where the keeper's binary for an architecture comes from.
@FunctionalInterface
public interface KeeperPrograms {
    /// The static binary for an architecture as the engine names it, e.g. `amd64` or `arm64`. Empty if there is none.
    Optional<byte[]> forArchitecture(String architecture);
}
