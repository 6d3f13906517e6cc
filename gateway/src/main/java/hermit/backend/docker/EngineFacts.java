package hermit.backend.docker;

import java.util.List;

/// What one has to know of the engine to make a container.
///
/// - `cpus`: how many its machine has.
/// - `mapsUsers`: a user id in a container is another one outside, since the engine is rootless or remaps them.
record EngineFacts(EngineVersion version, int cpus, boolean mapsUsers) {

    /// `options`: the engine's security options, such as `name=seccomp,profile=default`.
    static boolean mapsUsers(List<String> options) {
        return options.stream()
                .flatMap(option -> List.of(option.split(",")).stream())
                .anyMatch(each -> each.equals("name=rootless") || each.equals("name=userns"));
    }
}
