package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.GatewayClient;
import hermit.api.GatewayClientException;
import hermit.api.GatewayClientException.Refused;
import hermit.api.GatewayDownload;
import hermit.api.GatewayUpload;
import hermit.api.JsonTree;
import java.io.IOException;
import java.util.Optional;

/// The files of an agent's sandboxes.
final class RemoteFiles {
    /// - `path`: absolute, without the signs that only say how it was asked for.
    record Found(String path, boolean isDirectory) {
        String name() {
            return path.substring(path.lastIndexOf('/') + 1);
        }
    }

    private final GatewayClient gateway;
    private final String agent;

    RemoteFiles(GatewayClient gateway, String agent) {
        this.gateway = gateway;
        this.agent = agent;
    }

    /// What is there, links followed; empty if nothing is.
    Optional<Found> find(RemotePath file) throws GatewayClientException {
        Optional<JsonNode> entry = stat(file);
        if (entry.isEmpty()) return Optional.empty();
        String path = entry.get().path("path").asText().replaceFirst("(?<=.)(/\\.?)+$", "");
        String type = entry.get().path("type").asText();
        boolean directory = type.equals("directory") || (type.equals("link") && leadsToDirectory(file));
        return Optional.of(new Found(path, directory));
    }

    GatewayDownload read(String alias, String path) throws GatewayClientException {
        return gateway.download(url(alias, "", path));
    }

    GatewayDownload pack(String alias, String path) throws GatewayClientException {
        return gateway.download(url(alias, "/archive", path));
    }

    JsonNode write(RemotePath file, GatewayUpload upload) throws GatewayClientException, IOException {
        return gateway.upload(url(file.alias(), "", file.path()), upload);
    }

    JsonNode unpack(RemotePath directory, GatewayUpload upload) throws GatewayClientException, IOException {
        return gateway.upload(url(directory.alias(), "/archive", directory.path()), upload);
    }

    void mkdir(RemotePath directory) throws GatewayClientException {
        String url = Sandboxes.path(agent, directory.alias(), "files", "mkdir");
        gateway.post(url, JsonTree.object().put("path", directory.path()));
    }

    /// A link with `/.` behind it is what it leads to, if that is a directory.
    private boolean leadsToDirectory(RemotePath link) throws GatewayClientException {
        try {
            return stat(link.child(".")).isPresent();
        } catch (Refused e) {
            if (e.status() == 400) return false; // it leads to something else
            throw e;
        }
    }

    private Optional<JsonNode> stat(RemotePath file) throws GatewayClientException {
        try {
            return Optional.of(gateway.get(url(file.alias(), "/stat", file.path())));
        } catch (Refused e) {
            // Other things may be missing: the agent, the sandbox. Those are told by what follows.
            if (e.status() == 404 && e.getMessage() != null && e.getMessage().startsWith("No such file"))
                return Optional.empty();
            throw e;
        }
    }

    private String url(String alias, String what, String path) {
        return Sandboxes.path(agent, alias, "files") + what + "?path=" + GatewayClient.encode(path);
    }
}
