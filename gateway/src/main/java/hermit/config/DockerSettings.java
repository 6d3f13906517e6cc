package hermit.config;

import hermit.exec.DockerConfig.Network;
import hermit.problem.FieldError;
import hermit.problem.Fields;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// The Docker engine, and what its sandboxes get when their own config is silent.
///
/// - `endpoint`: `unix:///…` or `tcp://host:port`; `endpointOrigin` says who chose it.
/// - `tlsCertificates`: the directory with `ca.pem`, `cert.pem` and `key.pem`; empty for a plain connection.
/// - `runtime`: of the engine, such as `runsc`; empty for the engine's own default.
/// - `workspaceRoot`: where the agents' directories lie.
public record DockerSettings(
        URI endpoint,
        String endpointOrigin,
        Optional<Path> tlsCertificates,
        PullPolicy pullPolicy,
        Network network,
        Optional<String> runtime,
        Path workspaceRoot) {

    /// When an image is fetched from its registry.
    public enum PullPolicy {
        NEVER,
        MISSING,
        ALWAYS;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final String DEFAULT_ENDPOINT = "unix:///var/run/docker.sock";
    private static final String ENDPOINT_SHAPE = "must be unix:///path/to/docker.sock or tcp://host:port";
    private static final Pattern RUNTIME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    /// The block `docker` knows better than `DOCKER_HOST`, which other programs read, too.
    static DockerSettings read(
            Fields document, Environment environment, Path home, List<FieldError> mistakes, List<String> warnings) {
        Fields block = document.nested("docker").orElseGet(Blocks::empty);
        Optional<String> written = block.text("endpoint");
        Optional<String> variable = environment.get("DOCKER_HOST");
        URI endpoint = endpoint(written.or(() -> variable).orElse(DEFAULT_ENDPOINT))
                .orElseGet(() -> {
                    if (written.isPresent()) block.mistake("endpoint", ENDPOINT_SHAPE);
                    else mistakes.add(new FieldError("DOCKER_HOST", ENDPOINT_SHAPE));
                    return URI.create(DEFAULT_ENDPOINT);
                });
        Optional<Path> certificates = certificates(environment, mistakes);
        if (endpoint.getScheme().equals("tcp") && certificates.isEmpty())
            warnings.add(
                    "The Docker engine is called over plain tcp: whoever reaches that port is root on its machine");
        var settings = new DockerSettings(
                endpoint,
                written.isPresent() ? Home.CONFIG : variable.isPresent() ? "DOCKER_HOST" : "default",
                certificates,
                block.word("pull_policy", PullPolicy.class).orElse(PullPolicy.MISSING),
                block.word("network", Network.class).orElse(Network.OPEN),
                block.text("runtime", RUNTIME, "the name of a runtime of the engine, such as runsc"),
                workspaceRoot(block, home));
        block.close();
        return settings;
    }

    private static Optional<URI> endpoint(String text) {
        try {
            var uri = new URI(text);
            boolean socket = "unix".equals(uri.getScheme())
                    && uri.getHost() == null
                    && isAbsolute(Optional.ofNullable(uri.getPath()).orElse(""));
            boolean network = "tcp".equals(uri.getScheme()) && uri.getHost() != null && uri.getPort() > 0;
            boolean plain = uri.getRawUserInfo() == null && uri.getRawQuery() == null && uri.getRawFragment() == null;
            return (socket || network) && plain ? Optional.of(uri) : Optional.empty();
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    /// As the engine's own client has it: any value of `DOCKER_TLS_VERIFY` switches TLS on.
    private static Optional<Path> certificates(Environment environment, List<FieldError> mistakes) {
        if (environment.get("DOCKER_TLS_VERIFY").isEmpty()) return Optional.empty();
        Optional<String> path = environment.get("DOCKER_CERT_PATH");
        if (path.isEmpty()) {
            mistakes.add(new FieldError("DOCKER_CERT_PATH", "is required when DOCKER_TLS_VERIFY is set"));
            return Optional.empty();
        }
        return absolute(path.get()).or(() -> {
            mistakes.add(new FieldError("DOCKER_CERT_PATH", "must be an absolute path"));
            return Optional.empty();
        });
    }

    private static Path workspaceRoot(Fields block, Path home) {
        Path standIn = home.resolve("workspaces");
        return block.text("workspace_root")
                .map(text -> absolute(text).orElseGet(() -> {
                    block.mistake("workspace_root", "must be an absolute path");
                    return standIn;
                }))
                .orElse(standIn);
    }

    private static Optional<Path> absolute(String text) {
        try {
            return isAbsolute(text) ? Optional.of(Path.of(text).normalize()) : Optional.empty();
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    private static boolean isAbsolute(String path) {
        return path.startsWith("/") && path.length() > 1;
    }
}
