package hermit.backend.docker;

import hermit.exec.DockerConfig;
import java.util.Map;

/// The contract with a root file system that cannot be written.
class DockerReadOnlyTest extends DockerBackendTest {
    @Override
    DockerConfig config() {
        return TestDocker.config(Map.of("memory_limit", MEMORY.toString(), "read_only_rootfs", true));
    }
}
