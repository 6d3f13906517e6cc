package hermit.exec;

import hermit.problem.Documents;
import hermit.problem.Fields;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/// A sandbox in Tenki's cloud. Its `timeout` is enforced by the guest itself.
public record TenkiConfig(
        Map<String, Object> given,
        Optional<Duration> timeout,
        Optional<String> workspaceId,
        String agentHome,
        Optional<String> image,
        Optional<String> snapshotId,
        Optional<Integer> cpuCores,
        Optional<Integer> memoryMb,
        Map<String, String> env,
        LifecycleSettings lifecycle)
        implements BackendConfig {
    public TenkiConfig {
        given = Documents.copyOf(given);
        env = Map.copyOf(env);
    }

    static TenkiConfig read(Map<String, Object> given, Fields fields) {
        Optional<String> image = fields.has("image") ? Optional.of(ConfigShapes.image(fields, "")) : Optional.empty();
        Optional<String> snapshot = ConfigShapes.word(fields, "snapshot_id");
        if (image.isPresent() && snapshot.isPresent())
            fields.mistake("snapshot_id", "give snapshot_id or image, not both");
        return new TenkiConfig(
                given,
                Optional.of(ConfigShapes.timeout(fields).orElse(DEFAULT_TIMEOUT)),
                ConfigShapes.word(fields, "workspace_id"),
                ConfigShapes.agentHome(fields, "/home/tenki"),
                image,
                snapshot,
                fields.integer("cpu_cores", 1, 1_024).map(Long::intValue),
                fields.integer("memory_mb", 64, 16_777_216).map(Long::intValue),
                ConfigShapes.env(fields),
                LifecycleSettings.read(fields));
    }

    /// The user of all of Tenki's images, uid 1000.
    @Override
    public String user() {
        return "tenki";
    }

    @Override
    public BackendType type() {
        return BackendType.TENKI;
    }
}
