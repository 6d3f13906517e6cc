package hermit.exec;

import hermit.problem.Documents;
import hermit.problem.Fields;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/// A sandbox in Daytona's cloud.
public record DaytonaConfig(
        Map<String, Object> given,
        Source source,
        String username,
        String agentHome,
        int autoStopIntervalMinutes,
        Optional<Duration> timeout,
        Map<String, String> env,
        Map<String, String> labels,
        LifecycleSettings lifecycle)
        implements BackendConfig {

    /// What it is made from: never a snapshot and an image at once.
    public sealed interface Source {
        record ProviderDefault() implements Source {}

        record Snapshot(String id) implements Source {}

        /// The provider's default size where a number is absent; memory and disk in GiB.
        record Image(String name, Optional<Integer> cpu, Optional<Integer> memory, Optional<Integer> disk)
                implements Source {}
    }

    public DaytonaConfig {
        given = Documents.copyOf(given);
        env = Map.copyOf(env);
        labels = Map.copyOf(labels);
    }

    static DaytonaConfig read(Map<String, Object> given, Fields fields) {
        return new DaytonaConfig(
                given,
                source(fields),
                ConfigShapes.username(fields, "daytona"),
                ConfigShapes.agentHome(fields, "/home/daytona"),
                fields.integer("auto_stop_interval_minutes", 0, 525_600)
                        .orElse(15L)
                        .intValue(),
                ConfigShapes.timeout(fields),
                ConfigShapes.env(fields),
                ConfigShapes.labels(fields, "labels"),
                LifecycleSettings.read(fields));
    }

    private static Source source(Fields fields) {
        boolean hasImage = fields.has("image");
        boolean hasSnapshot = fields.has("snapshot");
        if (hasImage && hasSnapshot) fields.mistake("snapshot", "give snapshot or image, not both");
        var resources = fields.nested("resources");
        if (resources.isPresent() && !hasImage) fields.mistake("resources", "only an image can be given resources");
        Optional<Integer> cpu = resources.flatMap(each -> size(each, "cpu"));
        Optional<Integer> memory = resources.flatMap(each -> size(each, "memory"));
        Optional<Integer> disk = resources.flatMap(each -> size(each, "disk"));
        resources.ifPresent(Fields::close);
        if (hasImage) return new Source.Image(ConfigShapes.image(fields, ""), cpu, memory, disk);
        if (hasSnapshot)
            return new Source.Snapshot(ConfigShapes.word(fields, "snapshot").orElse(""));
        return new Source.ProviderDefault();
    }

    private static Optional<Integer> size(Fields fields, String key) {
        return fields.integer(key, 1, 4_096).map(Long::intValue);
    }

    @Override
    public String user() {
        return username;
    }

    @Override
    public BackendType type() {
        return BackendType.DAYTONA;
    }
}
