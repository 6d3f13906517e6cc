package hermit.backend.docker;

import com.github.dockerjava.api.DockerClient;
import java.io.IOException;

/// One request to the engine, or a few that belong together. An answer that the caller expects (a 404
/// where something may be missing) is turned into a value in here; everything else is left to [Engine].
@FunctionalInterface
interface EngineCall<T> {
    T on(DockerClient client) throws IOException, InterruptedException;
}
