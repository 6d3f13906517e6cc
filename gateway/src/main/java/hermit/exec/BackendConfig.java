package hermit.exec;

import hermit.problem.Fields;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/// How one sandbox is configured: a closed record for each backend type, with the defaults filled in.
/// What the caller wrote is kept beside it ([#given]), so that a default that changes later still
/// reaches rows that never chose.
public sealed interface BackendConfig permits DockerConfig, E2bConfig, DaytonaConfig, TenkiConfig {
    /// The budget of a command that states none, unless the row's config does.
    Duration DEFAULT_TIMEOUT = Duration.ofMinutes(5);

    BackendType type();

    /// The document that this was read from; never shows defaults.
    Map<String, Object> given();

    /// Whom commands run as.
    String user();

    /// The directory that commands start in.
    String agentHome();

    /// The budget of a command that states none; empty: the gateway's default.
    Optional<Duration> timeout();

    /// Environment of every command in the sandbox.
    Map<String, String> env();

    LifecycleSettings lifecycle();

    /// Reads the config of a type from `fields` (already at the config's own object) and closes it: mistakes are left
    /// in `fields`.
    static BackendConfig read(BackendType type, Map<String, Object> given, Fields fields) {
        BackendConfig config = switch (type) {
            case DOCKER -> DockerConfig.read(given, fields);
            case E2B -> E2bConfig.read(given, fields);
            case DAYTONA -> DaytonaConfig.read(given, fields);
            case TENKI -> TenkiConfig.read(given, fields);
        };
        fields.close();
        return config;
    }

    /// Reads a config that stands for itself; throws [hermit.problem.GatewayException.Invalid] with paths under
    /// `path`.
    static BackendConfig of(BackendType type, Map<String, Object> given, String path) {
        var fields = Fields.at(path, given);
        var config = read(type, given, fields);
        fields.finish();
        return config;
    }
}
