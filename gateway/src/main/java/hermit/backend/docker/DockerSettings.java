package hermit.backend.docker;

import hermit.backend.keeper.KeeperPrograms;
import hermit.exec.DockerConfig.Network;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/// Which engine is used, and what is the same for all sandboxes on it.
///
/// - `instanceId`: of this gateway. Only containers, networks and volumes that carry it are ever touched.
/// - `endpoint`: `unix:///path` or `tcp://host:port`.
/// - `tlsDirectory`: has `ca.pem`, `cert.pem` and `key.pem`, as the Docker CLI's `DOCKER_CERT_PATH`; only with `tcp`.
/// - `registryLogins`: a directory with a `config.json` as `docker login` writes it. Empty: images are pulled without.
/// - `network`: where a sandbox's config is silent.
/// - `runtime`: where a sandbox's config is silent; empty means the engine's default.
/// - `workspaceRoot`: parent of all workspaces of a local engine; made if it is missing.
/// - `orphanGrace`: how long something must have been without an owner before it is removed.
public record DockerSettings(
        UUID instanceId,
        URI endpoint,
        Optional<Path> tlsDirectory,
        Optional<Path> registryLogins,
        PullPolicy pullPolicy,
        Network network,
        Optional<String> runtime,
        Path workspaceRoot,
        KeeperPrograms keeper,
        Duration orphanGrace) {

    public static final Duration DEFAULT_ORPHAN_GRACE = Duration.ofMinutes(10);

    /// When images are pulled.
    public enum PullPolicy {
        /// The registry is never asked.
        NEVER,
        /// Only if the engine does not have the image.
        MISSING,
        /// Each time that a container is made.
        ALWAYS;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public DockerSettings {
        String problem = endpointProblem(endpoint, tlsDirectory.isPresent());
        if (!problem.isEmpty())
            throw new IllegalArgumentException("Docker endpoint %s: %s".formatted(endpoint, problem));
        if (!workspaceRoot.isAbsolute()) throw new IllegalArgumentException("not absolute: " + workspaceRoot);
    }

    /// What is wrong with an endpoint; empty if nothing is.
    public static String endpointProblem(URI endpoint, boolean tls) {
        return switch (String.valueOf(endpoint.getScheme())) {
            case "unix" -> {
                if (endpoint.getPath() == null || !endpoint.getPath().startsWith("/"))
                    yield "needs an absolute path, as in unix:///var/run/docker.sock";
                yield tls ? "TLS goes with tcp:// only" : "";
            }
            case "tcp" -> {
                boolean plain = endpoint.getHost() != null && endpoint.getPort() > 0;
                yield plain ? "" : "needs a host and a port, as in tcp://docker.example:2376";
            }
            default -> "must start with unix:// or tcp://";
        };
    }

    /// Whether the engine runs here, so that a path means the same to it and to us.
    boolean local() {
        return "unix".equals(endpoint.getScheme());
    }

    /// Enough of the instance's id to name things by: its first 8 hex digits.
    String shortInstance() {
        return instanceId.toString().substring(0, 8);
    }
}
