package hermit.exec;

import hermit.problem.Documents;
import hermit.problem.Fields;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/// A sandbox in E2B's cloud. `sandboxTimeout` is the provider's own time limit, after which it pauses the sandbox.
public record E2bConfig(
        Map<String, Object> given,
        String template,
        String username,
        String agentHome,
        Duration sandboxTimeout,
        Optional<Duration> timeout,
        Map<String, String> env,
        Map<String, String> metadata,
        boolean secure,
        Optional<Boolean> allowInternetAccess,
        LifecycleSettings lifecycle)
        implements BackendConfig {
    public E2bConfig {
        given = Documents.copyOf(given);
        env = Map.copyOf(env);
        metadata = Map.copyOf(metadata);
    }

    static E2bConfig read(Map<String, Object> given, Fields fields) {
        return new E2bConfig(
                given,
                ConfigShapes.word(fields, "template").orElse("base"),
                ConfigShapes.username(fields, "user"),
                ConfigShapes.agentHome(fields, "/home/user"),
                Duration.ofMillis(fields.integer(
                                "sandbox_timeout_ms", 1_000, Duration.ofDays(1).toMillis())
                        .orElse(3_600_000L)),
                ConfigShapes.timeout(fields),
                ConfigShapes.env(fields),
                ConfigShapes.labels(fields, "metadata"),
                fields.bool("secure").orElse(true),
                fields.bool("allow_internet_access"),
                LifecycleSettings.read(fields));
    }

    @Override
    public String user() {
        return username;
    }

    @Override
    public BackendType type() {
        return BackendType.E2B;
    }
}
