package hermit.backend.docker;

import hermit.agent.AgentId;
import hermit.agent.Agents;
import hermit.command.Commands;
import hermit.command.Commands.Accepted;
import hermit.command.ExecLimits;
import hermit.command.ExecRequest;
import hermit.command.LiveExec;
import hermit.command.MemoryExecStore;
import hermit.command.SandboxFiles;
import hermit.command.Watch;
import hermit.exec.BackendConfig;
import hermit.sandbox.Alias;
import hermit.sandbox.Backends;
import hermit.sandbox.Machines;
import hermit.sandbox.MemoryStores;
import hermit.sandbox.Preset;
import hermit.sandbox.Presets;
import hermit.sandbox.Provisioning;
import hermit.sandbox.Sandboxes;
import hermit.world.TestWorld;
import hermit.world.World;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Commands and files of real containers, with the rows in memory, and an agent whose first sandbox has no machine yet.
final class DockerHouse {
    static final AgentId MAIN = new AgentId("main");

    final TestDocker docker = new TestDocker();
    private final World world = new TestWorld().world();
    private final MemoryStores stores = new MemoryStores();
    private final Backends backends = new Backends(List.of(docker.provider));
    private final Agents agents = new Agents(stores, world);
    private final MemoryExecStore execs = new MemoryExecStore();
    private final Watch watch = new Watch(execs, world, _ -> {});
    final Machines machines = new Machines(stores, backends, stores, docker.instance, world);
    final Sandboxes sandboxes = new Sandboxes(agents, stores, backends, machines, world);
    final Commands commands =
            new Commands(sandboxes, machines, execs, watch, ExecLimits.DEFAULT, docker.instance, world);
    final SandboxFiles files = new SandboxFiles(sandboxes, machines, world);

    /// `config`: of the agent's first sandbox.
    DockerHouse(BackendConfig config) throws InterruptedException {
        var presets = new Presets(List.of(new Preset("dev", config)), Optional.of("dev"));
        new Provisioning(agents, stores, sandboxes, backends, presets, world)
                .create(Map.of("id", MAIN.value()), Optional.empty());
    }

    LiveExec start(Alias alias, String command) throws InterruptedException {
        var request = ExecRequest.read(Map.of("command", command), ExecLimits.DEFAULT, false);
        return ((Accepted.Running) commands.start(MAIN, alias, request, "test", "")).exec();
    }

    void close() throws Exception {
        watch.close();
        machines.close();
        docker.close();
    }
}
