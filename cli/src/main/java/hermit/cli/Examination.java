package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.GatewayClient;
import hermit.api.GatewayClient.Answer;
import hermit.api.GatewayClientException;
import hermit.api.GatewayClientException.Refused;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// The single checks of `doctor`.
final class Examination {
    static final int JDK = 25;
    static final String USUAL_IMAGE = "ubuntu:24.04";
    private static final long ENOUGH_DISK = 2L << 30;
    private static final long LITTLE_DISK = 256L << 20;

    private final CliContext cli;

    Examination(CliContext cli) {
        this.cli = cli;
    }

    List<Finding> all() throws InterruptedException {
        var findings = new ArrayList<Finding>();
        findings.add(jdk());
        findings.add(config());
        findings.add(disk());
        findings.addAll(gateway());
        findings.addAll(docker());
        return List.copyOf(findings);
    }

    private Finding jdk() {
        var about = "Java %s in %s".formatted(Runtime.version(), System.getProperty("java.home"));
        return Runtime.version().feature() >= JDK
                ? Finding.ok("jdk", about)
                : Finding.failed("jdk", "%s, but %d or newer is needed".formatted(about, JDK));
    }

    private Finding config() throws InterruptedException {
        try {
            var mistakes = new Settings(cli.home(), cli.launcher()).mistakes();
            if (!mistakes.isEmpty()) return Finding.failed("config", String.join("; ", mistakes));
            return Finding.ok(
                    "config",
                    Files.exists(cli.home().config()) ? cli.home().config().toString() : "defaults, no gateway.json");
        } catch (CliFailure e) {
            return Finding.failed("config", e.detail());
        }
    }

    private Finding disk() {
        Path there = cli.home().root();
        while (!Files.exists(there) && there.getParent() != null) there = there.getParent();
        try {
            long free = Files.getFileStore(there).getUsableSpace();
            var text = "%d MB free at %s".formatted(free >> 20, there);
            if (free < LITTLE_DISK) return Finding.failed("disk", text);
            return free < ENOUGH_DISK ? Finding.warning("disk", text) : Finding.ok("disk", text);
        } catch (IOException e) {
            return Finding.failed("disk", "ask how much is free at %s: %s".formatted(there, e.getMessage()));
        }
    }

    private List<Finding> gateway() {
        try {
            Connection connection = cli.connection();
            GatewayClient client = connection.client();
            Answer readiness = client.ask("/ready");
            var told = "at %s: %s".formatted(connection.address(), Readiness.inWords(readiness.body()));
            var gateway = switch (Readiness.status(readiness.body())) {
                case READY -> Finding.ok("gateway", told);
                case DEGRADED -> Finding.warning("gateway", told);
                case UNAVAILABLE -> Finding.failed("gateway", told);
            };
            var findings = new ArrayList<>(List.of(gateway, token(client, connection)));
            findings.addAll(clouds(readiness.body()));
            return findings;
        } catch (CliFailure e) {
            return List.of(Finding.failed("token", e.detail()));
        } catch (GatewayClientException e) {
            return List.of(
                    Finding.failed("gateway", "%s (start it with: hermit gateway start)".formatted(e.getMessage())));
        }
    }

    /// Each cloud that the gateway knows, as it last found it. One that is down hurts its own sandboxes only.
    private static List<Finding> clouds(JsonNode readiness) {
        var findings = new ArrayList<Finding>();
        for (var backend : readiness.path("backends").properties()) {
            String name = backend.getKey();
            if (name.equals("docker")) continue; // it has a check of its own
            String detail = backend.getValue().path("detail").asText("");
            findings.add(
                    switch (backend.getValue().path("state").asText()) {
                        case "up" -> Finding.ok(name, detail.isEmpty() ? "reached with its key" : detail);
                        case "not_configured" -> Finding.ok(name, "not in use: " + detail);
                        default -> Finding.failed(name, detail.isEmpty() ? "down" : detail);
                    });
        }
        return findings;
    }

    private Finding token(GatewayClient client, Connection connection) {
        if (connection.token().isEmpty())
            return Finding.failed(
                    "token",
                    "There is none: log in with 'hermit login', or set HERMIT_TOKEN; %s does not exist"
                            .formatted(cli.home().tokenFile()));
        try {
            client.get(GatewayClient.path("sandbox-presets"));
            return Finding.ok("token", "accepted");
        } catch (Refused e) {
            return Finding.failed("token", "The gateway answers status %d: %s".formatted(e.status(), e.getMessage()));
        } catch (GatewayClientException e) {
            return Finding.failed("token", String.valueOf(e.getMessage()));
        }
    }

    private List<Finding> docker() {
        String endpoint = cli.surroundings().variable("DOCKER_HOST").orElse("unix:///var/run/docker.sock");
        if (!endpoint.startsWith("unix://"))
            return List.of(Finding.ok("docker", "%s is checked by the gateway only".formatted(endpoint)));
        var path = Path.of(URI.create(endpoint).getPath());
        try {
            var socket = new DockerSocket(path);
            JsonNode version = socket.version();
            var findings = new ArrayList<Finding>();
            findings.add(Finding.ok(
                    "docker",
                    "engine %s, API %s (at least %s), %s, at %s"
                            .formatted(
                                    version.path("Version").asText("?"),
                                    version.path("ApiVersion").asText("?"),
                                    version.path("MinAPIVersion").asText("?"),
                                    socket.users(),
                                    path)));
            for (String image : images())
                findings.add(
                        socket.hasImage(image)
                                ? Finding.ok("image", image + " is there")
                                : Finding.warning(
                                        "image",
                                        image
                                                + " is not there yet and will be pulled; without a registry: hermit image build"));
            return findings;
        } catch (IOException e) {
            return List.of(Finding.failed("docker", "ask the engine at %s: %s".formatted(path, e.getMessage())));
        }
    }

    /// What the presets name, as far as they can be asked for.
    private Set<String> images() {
        var images = new LinkedHashSet<String>();
        try {
            for (JsonNode preset :
                    cli.gateway().get(GatewayClient.path("sandbox-presets")).path("presets"))
                if (preset.path("type").asText().equals("docker"))
                    images.add(preset.path("config").path("image").asText(USUAL_IMAGE));
        } catch (CliFailure | GatewayClientException e) {
            // Why the gateway does not tell has been found already; what is usual is checked then.
            images.add(USUAL_IMAGE);
        }
        return images;
    }
}
