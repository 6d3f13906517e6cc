package hermit.backend.docker;

import hermit.exec.DockerConfig;
import hermit.exec.ExecBackend;
import hermit.exec.ExecBackendContract;
import hermit.exec.Machine;
import hermit.exec.MachineSpec;
import java.util.Map;

/// The contract in a container as it is by default.
class DockerBackendTest extends ExecBackendContract {
    private final TestDocker docker = new TestDocker();
    private final MachineSpec spec = TestDocker.row(config());

    @Override
    protected void release() throws Exception {
        docker.close();
    }

    DockerConfig config() {
        return TestDocker.config(Map.of("memory_limit", MEMORY.toString()));
    }

    @Override
    protected ExecBackend fresh() {
        return docker.open(spec);
    }

    @Override
    protected ExecBackend restarted(ExecBackend before, Machine machine) {
        return docker.open(TestDocker.after(spec, machine));
    }

    @Override
    protected int uid() {
        return 0;
    }

    @Override
    protected String home() {
        return "/root";
    }
}
