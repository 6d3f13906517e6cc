package hermit.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import hermit.api.JsonTree;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/// The folder of the gateway on this machine: its configuration, its token, and what `gateway start` leaves there.
/// Whatever lies in the current directory is never looked at.
record HermitHome(Path root) {
    private static final Set<PosixFilePermission> OTHERS = EnumSet.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.GROUP_EXECUTE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE,
            PosixFilePermission.OTHERS_EXECUTE);

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

    /// The admin token that the gateway made at its first start. Empty where there is none; a file that others may
    /// read or change is refused, because then it is no secret.
    Optional<String> adminToken() throws CliFailure {
        Path file = tokenFile();
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) return Optional.empty();
        try {
            var permissions = EnumSet.noneOf(PosixFilePermission.class);
            permissions.addAll(Files.getPosixFilePermissions(file));
            permissions.retainAll(OTHERS);
            if (!permissions.isEmpty())
                throw CliFailure.local(
                        "token_exposed",
                        "The token file %s can be read or changed by others: chmod 600 it, and if others may have read it, remove it and start the gateway again to get a new one"
                                .formatted(file));
            return Optional.of(Files.readString(file).strip()).filter(token -> !token.isEmpty());
        } catch (IOException e) {
            throw CliFailure.local("token_unreadable", "read the token file %s: %s".formatted(file, e.getMessage()));
        }
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
