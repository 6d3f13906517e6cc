package hermit.exec;

import hermit.problem.Documents;
import hermit.problem.Fields;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// A sandbox in a container of the Docker engine.
///
/// - `cpus` is empty where the config is silent: the default of 2 is then cut to what the engine has.
/// - `memoryLimit` covers memory and swap together.
/// - `diskLimit`: of the workspace, measured.
/// - `rootfsLimit`: of all else that is written to the disk, enforced by the engine; empty: there is none.
public record DockerConfig(
        Map<String, Object> given,
        String image,
        String username,
        String agentHome,
        ByteSize memoryLimit,
        ByteSize diskLimit,
        Optional<ByteSize> rootfsLimit,
        Optional<BigDecimal> cpus,
        Optional<Integer> cpuShares,
        int pidsLimit,
        Optional<Network> network,
        Optional<String> runtime,
        boolean readOnlyRootfs,
        Map<String, String> env,
        Optional<Duration> timeout,
        LifecycleSettings lifecycle)
        implements BackendConfig {

    /// What the sandbox can reach.
    public enum Network {
        /// Nothing at all.
        NONE,
        /// A bridge with no way out.
        INTERNAL,
        /// The way out, and no other sandbox.
        OPEN;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final ByteSize DEFAULT_MEMORY = new ByteSize(2L << 30);
    /// The engine itself refuses less (6 MiB); a shell and the keeper want a little more.
    private static final ByteSize LEAST_MEMORY = new ByteSize(8L << 20);

    /// A build tree of some size fits, and ten sandboxes that are full do not fill a usual disk.
    private static final ByteSize DEFAULT_DISK = new ByteSize(8L << 30);
    /// Below, what a few directories take would be much of it.
    private static final ByteSize LEAST_DISK = new ByteSize(4L << 20);

    private static final ByteSize MOST = new ByteSize(16L << 40);
    private static final Pattern RUNTIME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    public DockerConfig {
        given = Documents.copyOf(given);
        env = Map.copyOf(env);
    }

    static DockerConfig read(Map<String, Object> given, Fields fields) {
        return new DockerConfig(
                given,
                ConfigShapes.image(fields, "ubuntu:24.04"),
                ConfigShapes.username(fields, "root"),
                ConfigShapes.agentHome(fields, "/root"),
                size(fields, "memory_limit", "512m or 2g", LEAST_MEMORY).orElse(DEFAULT_MEMORY),
                size(fields, "disk_limit", "512m or 8g", LEAST_DISK).orElse(DEFAULT_DISK),
                size(fields, "rootfs_limit", "512m or 8g", LEAST_DISK),
                fields.decimal("cpus", "0.01", "1024"),
                fields.integer("cpu_shares", 2, 262_144).map(Long::intValue),
                fields.integer("pids_limit", 16, 1_000_000).orElse(512L).intValue(),
                fields.word("network", Network.class),
                fields.text("runtime", RUNTIME, "the name of a runtime of the engine, such as runsc"),
                fields.bool("read_only_rootfs").orElse(false),
                ConfigShapes.env(fields),
                ConfigShapes.timeout(fields),
                LifecycleSettings.read(fields));
    }

    private static Optional<ByteSize> size(Fields fields, String key, String such, ByteSize least) {
        return fields.text(key).flatMap(text -> {
            var parsed = ByteSize.parse(text.toLowerCase(Locale.ROOT))
                    .filter(each -> each.bytes() >= least.bytes() && each.bytes() <= MOST.bytes());
            if (parsed.isEmpty())
                fields.mistake(key, "must be an amount such as %s, at least %s".formatted(such, least));
            return parsed;
        });
    }

    @Override
    public String user() {
        return username;
    }

    @Override
    public BackendType type() {
        return BackendType.DOCKER;
    }
}
