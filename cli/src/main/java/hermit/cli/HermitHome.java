package hermit.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import hermit.api.GatewayClient;
import hermit.api.JsonTree;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/// The folder of the gateway on this machine: its configuration, its token, and what `gateway start` leaves there.
/// Whatever lies in the current directory is never looked at.
record HermitHome(Path root) {
    /// `HERMIT_HOME`, or `.hermit` in the person's home.
    static HermitHome of(Surroundings surroundings) {
        return new HermitHome(surroundings
                .variable("HERMIT_HOME")
                .map(Path::of)
                .orElseGet(
                        () -> Path.of(surroundings.variable("HOME").orElse(System.getProperty("user.home")), ".hermit"))
                .toAbsolutePath()
                .normalize());
    }

    Path config() {
        return root.resolve("gateway.json");
    }

    Path secrets() {
        return root.resolve(".env");
    }

    Path tokenFile() {
        return root.resolve("admin-token");
    }

    Path pidFile() {
        return root.resolve("gateway.pid");
    }

    Path log() {
        return root.resolve("logs").resolve("gateway.log");
    }

    /// The admin token that the gateway made at its first start.
    SecretFile adminToken() {
        return new SecretFile(tokenFile(), "remove it and start the gateway again to get a new one");
    }

    /// The token that `hermit login` keeps for the gateway at this address, and for no other.
    SecretFile login(URI address) {
        return new SecretFile(
                root.resolve("logins").resolve(GatewayClient.encode(plain(address))),
                "revoke the token and log in with a new one");
    }

    /// An address as it is written in one way only: `http://Host/` and `http://host:80` are the same gateway.
    private static String plain(URI address) {
        var scheme = address.getScheme().toLowerCase(Locale.ROOT);
        int usual = scheme.equals("https") ? 443 : 80;
        return "%s://%s:%d%s"
                .formatted(
                        scheme,
                        address.getHost().toLowerCase(Locale.ROOT),
                        address.getPort() < 0 ? usual : address.getPort(),
                        address.getRawPath().replaceFirst("/+$", ""));
    }

    /// Where the gateway of this folder listens, from its configuration. A gateway that listens everywhere is
    /// called on loopback.
    URI gatewayAddress() throws CliFailure {
        JsonNode server = document().path("server");
        var host = server.path("host").asText("127.0.0.1");
        if (host.isEmpty() || host.equals("0.0.0.0") || host.equals("::")) host = "127.0.0.1";
        return URI.create("http://%s:%d"
                .formatted(
                        host.contains(":") ? "[" + host + "]" : host,
                        server.path("port").asInt(4000)));
    }

    /// `gateway.json` as it stands; missing where there is no such file.
    JsonNode document() throws CliFailure {
        if (!Files.exists(config())) return MissingNode.getInstance();
        try {
            return JsonTree.parse(Files.readAllBytes(config()));
        } catch (JsonProcessingException e) {
            throw new CliFailure(
                    ExitCode.CONFIG, "config", "%s is not JSON: %s".formatted(config(), e.getOriginalMessage()));
        } catch (IOException e) {
            throw CliFailure.local("config_unreadable", "read %s: %s".formatted(config(), e.getMessage()));
        }
    }
}
