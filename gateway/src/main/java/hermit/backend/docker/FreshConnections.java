package hermit.backend.docker;

import com.github.dockerjava.transport.DockerHttpClient;
import java.io.IOException;

/// Sends every request over a connection of its own. One that is kept may have been closed by an engine
/// that was restarted meanwhile, and then nobody can say of a request that fails on it whether it was
/// carried out. A new one to a local engine costs 0.5 ms; commands do not come this way.
final class FreshConnections implements DockerHttpClient {
    private final DockerHttpClient client;

    FreshConnections(DockerHttpClient client) {
        this.client = client;
    }

    @Override
    public Response execute(Request request) {
        return client.execute(
                Request.builder().from(request).putHeader("Connection", "close").build());
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
