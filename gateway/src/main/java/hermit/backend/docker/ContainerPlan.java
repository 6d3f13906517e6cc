package hermit.backend.docker;

import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.HealthCheck;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.LogConfig;
import com.github.dockerjava.api.model.Mount;
import com.github.dockerjava.api.model.RestartPolicy;
import com.github.dockerjava.api.model.Ulimit;
import hermit.backend.keeper.KeeperProgram;
import hermit.exec.ByteSize;
import hermit.exec.DockerConfig;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What a sandbox's container is to be, with every default filled in: of the row, of the gateway, and of the engine.
///
/// Environment, time limits, life cycle and the limit on the workspace are not part of it. They come with each command,
/// so that a change of theirs
/// needs no new container, and no value of theirs shows in `docker inspect`.
record ContainerPlan(
        String image,
        String username,
        String agentHome,
        ByteSize memory,
        Optional<ByteSize> rootfsLimit,
        BigDecimal cpus,
        Optional<Integer> cpuShares,
        int pidsLimit,
        DockerConfig.Network network,
        Optional<String> runtime,
        boolean readOnlyRootfs,
        KeeperProgram keeper) {

    /// Grows when containers are made in another way than before, so that old ones are replaced.
    private static final int LAYOUT = 1;

    private static final BigDecimal DEFAULT_CPUS = BigDecimal.TWO;
    /// What a root without the rest needs: to install packages, switch users, and end other users' processes.
    private static final Capability[] CAPABILITIES = {
        Capability.CHOWN,
        Capability.DAC_OVERRIDE,
        Capability.FOWNER,
        Capability.SETUID,
        Capability.SETGID,
        Capability.KILL
    };
    /// A process with more of it is killed first when the machine runs out of memory; the gateway has 0.
    private static final int OOM_SCORE_ADJUSTMENT = 500;
    /// Enough for build tools and servers. Much more can fail: an engine that is not fully privileged
    /// cannot raise its own limit, and a million makes some programs loop over all of them.
    private static final long OPEN_FILES = 16_384;

    static ContainerPlan of(DockerConfig config, DockerSettings settings, EngineFacts facts, KeeperProgram keeper) {
        return new ContainerPlan(
                config.image(),
                config.username(),
                config.agentHome(),
                config.memoryLimit(),
                config.rootfsLimit(),
                config.cpus().orElseGet(() -> DEFAULT_CPUS.min(BigDecimal.valueOf(facts.cpus()))),
                config.cpuShares(),
                config.pidsLimit(),
                config.network().orElse(settings.network()),
                config.runtime().or(settings::runtime),
                config.readOnlyRootfs(),
                keeper);
    }

    /// The same for containers that need not be told apart, another for any other.
    String hash() {
        var text = String.join(
                "\n",
                "layout=" + LAYOUT,
                "image=" + image,
                "username=" + username,
                "agent_home=" + agentHome,
                "memory=" + memory.bytes(),
                "rootfs_limit="
                        + rootfsLimit.map(size -> String.valueOf(size.bytes())).orElse(""),
                "cpus=" + nanoCpus(),
                "cpu_shares=" + cpuShares.map(String::valueOf).orElse(""),
                "pids=" + pidsLimit,
                "network=" + network,
                "runtime=" + runtime.orElse(""),
                "read_only=" + readOnlyRootfs,
                "keeper=" + keeper.digest());
        return KeeperProgram.digest(text.getBytes(StandardCharsets.UTF_8));
    }

    /// Fills in the engine's form for a new container.
    CreateContainerCmd form(
            CreateContainerCmd form, Map<String, String> labels, String networkMode, List<Mount> mounts) {
        return form.withEntrypoint(KeeperVolume.PROGRAM)
                .withCmd("init")
                .withUser("0:0") // the keeper; commands run as the row's user
                .withWorkingDir("/") // an image's own could name a descriptor of the runtime (CVE-2024-21626)
                .withHostName("sandbox")
                .withStopSignal("SIGTERM")
                .withHealthcheck(new HealthCheck().withTest(List.of("NONE")))
                .withLabels(labels)
                .withHostConfig(host(networkMode, mounts));
    }

    private HostConfig host(String networkMode, List<Mount> mounts) {
        var host = HostConfig.newHostConfig()
                .withSecurityOpts(List.of("no-new-privileges"))
                .withCapDrop(Capability.ALL)
                .withCapAdd(CAPABILITIES)
                .withPidsLimit((long) pidsLimit)
                .withMemory(memory.bytes())
                .withMemorySwap(memory.bytes()) // both together: no swap on top
                .withNanoCPUs(nanoCpus())
                .withOomScoreAdj(OOM_SCORE_ADJUSTMENT)
                .withUlimits(new Ulimit[] {new Ulimit("core", 0L, 0L), new Ulimit("nofile", OPEN_FILES, OPEN_FILES)})
                .withReadonlyRootfs(readOnlyRootfs)
                .withTmpFs(temporary())
                .withMounts(mounts)
                .withNetworkMode(networkMode)
                .withIpcMode("private")
                .withCgroupnsMode("private")
                .withPublishAllPorts(false)
                .withPrivileged(false)
                .withAutoRemove(false)
                .withRestartPolicy(RestartPolicy.noRestart())
                // Only the keeper's own few lines: what commands print never goes there.
                .withLogConfig(
                        new LogConfig(LogConfig.LoggingType.JSON_FILE, Map.of("max-size", "1m", "max-file", "2")));
        cpuShares.ifPresent(host::withCpuShares);
        runtime.ifPresent(host::withRuntime);
        rootfsLimit.ifPresent(size -> host.withStorageOpt(Map.of("size", String.valueOf(size.bytes()))));
        return host;
    }

    /// All of it counts as memory of the sandbox, so half of the limit is as much as can be used sensibly. Programs may
    /// be run from `/tmp`: installers do.
    private Map<String, String> temporary() {
        return Map.of(
                "/tmp", "rw,exec,nosuid,nodev,mode=1777,size=" + memory.bytes() / 2,
                "/run", "rw,noexec,nosuid,nodev,mode=0755,size=" + Math.min(64L << 20, memory.bytes() / 2),
                "/run/hermit", "rw,noexec,nosuid,nodev,mode=0700,size=8m");
    }

    private long nanoCpus() {
        return cpus.movePointRight(9).longValue();
    }
}
