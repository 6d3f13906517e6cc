package hermit.backend.docker;

import hermit.exec.DockerConfig;
import java.util.Map;

/// The contract for a user who is a mere number, at a home that the image does not have.
class DockerNumericUserTest extends DockerBackendTest {
    @Override
    DockerConfig config() {
        return TestDocker.config(
                Map.of("memory_limit", MEMORY.toString(), "username", "1000", "agent_home", "/home/agent"));
    }

    @Override
    protected int uid() {
        return 1000;
    }

    @Override
    protected String home() {
        return "/home/agent";
    }
}
