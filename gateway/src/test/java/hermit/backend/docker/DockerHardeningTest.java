package hermit.backend.docker;

import static hermit.exec.CommandBuilder.argv;
import static hermit.exec.CommandBuilder.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.HostConfig;
import hermit.exec.CommandBuilder;
import hermit.exec.DockerConfig;
import hermit.exec.ExecBackend;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import hermit.exec.Recording;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// The rules for containers, as the engine has them and as they are seen from inside.
@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DockerHardeningTest {
    private final TestDocker docker = new TestDocker();
    private final DockerConfig config = TestDocker.config(
            Map.of("memory_limit", "128m", "cpus", 1.5, "cpu_shares", 512, "pids_limit", 77, "network", "open"));
    private final MachineSpec spec = TestDocker.row(config);
    private final ExecBackend backend = docker.open(spec);

    @BeforeAll
    void bring_up() throws Exception {
        backend.ensure(Progress.NONE);
    }

    @AfterAll
    void remove_everything() throws Exception {
        backend.close();
        docker.close();
    }

    private InspectContainerResponse inspect() {
        return docker.hand.inspectContainerCmd(ContainerName.of(spec)).exec();
    }

    private HostConfig host() {
        return Objects.requireNonNull(inspect().getHostConfig());
    }

    private String run(CommandBuilder command) throws Exception {
        return run(backend, command);
    }

    private static String run(ExecBackend on, CommandBuilder command) throws Exception {
        var output = new Recording();
        on.start(command.build(), output).await();
        return output.stdout();
    }

    @Test
    void S01_no_new_privileges() throws Exception {
        assertThat(host().getSecurityOpts()).containsExactly("no-new-privileges");
        assertThat(run(sh("grep NoNewPrivs /proc/self/status"))).isEqualTo("NoNewPrivs:\t1\n");
        assertThat(run(sh("grep NoNewPrivs /proc/1/status"))).isEqualTo("NoNewPrivs:\t1\n");
    }

    @Test
    void S02_six_capabilities() throws Exception {
        assertThat(host().getCapDrop()).containsExactly(Capability.ALL);
        // CHOWN 0, DAC_OVERRIDE 1, FOWNER 3, KILL 5, SETGID 6, SETUID 7
        assertThat(run(sh("grep CapBnd /proc/self/status"))).isEqualTo("CapBnd:\t00000000000000eb\n");
        assertThat(run(sh("grep CapEff /proc/1/status"))).isEqualTo("CapEff:\t00000000000000eb\n");
    }

    @Test
    void S03_nothing_of_the_host() {
        assertThat(host().getPrivileged()).isFalse();
        assertThat(host().getPidMode()).isNullOrEmpty();
        assertThat(host().getIpcMode()).isEqualTo("private");
        assertThat(host().getUtSMode()).isNullOrEmpty();
        assertThat(host().getUsernsMode()).isNullOrEmpty();
        assertThat(host().getCgroupnsMode()).isEqualTo("private");
        assertThat(host().getDevices()).isNullOrEmpty();
        assertThat(host().getNetworkMode()).isNotIn("host", "bridge", "default");
    }

    @Test
    void S04_S05_limits() throws Exception {
        assertThat(host().getPidsLimit()).isEqualTo(77);
        assertThat(host().getMemory()).isEqualTo(128L << 20);
        assertThat(host().getMemorySwap()).isEqualTo(128L << 20);
        assertThat(host().getNanoCPUs()).isEqualTo(1_500_000_000L);
        assertThat(host().getCpuShares()).isEqualTo(512);
    }

    @Test
    void cpus_are_cut_to_what_the_engine_has_where_the_config_is_silent() throws Exception {
        var row = TestDocker.row(TestDocker.config(Map.of()));
        try (var silent = docker.open(row)) {
            silent.ensure(Progress.NONE);
            int there = Objects.requireNonNull(docker.hand.infoCmd().exec().getNCPU());
            assertThat(docker.hand
                            .inspectContainerCmd(ContainerName.of(row))
                            .exec()
                            .getHostConfig()
                            .getNanoCPUs())
                    .isEqualTo(Math.min(2, there) * 1_000_000_000L);
        }
    }

    @Test
    void S04_a_fork_bomb_stays_inside() throws Exception {
        try (var crowded = docker.open(TestDocker.row(TestDocker.config(Map.of("pids_limit", 40))))) {
            crowded.ensure(Progress.NONE);
            run(crowded, sh("for i in $(seq 200); do sleep 1000 & done 2>/dev/null; true"));
            assertThatThrownBy(() -> run(crowded, sh("true"))).hasMessageContaining("pids_limit");
            assertThat(run(sh("echo elsewhere"))).isEqualTo("elsewhere\n");
            crowded.shutdown();
            crowded.ensure(Progress.NONE);
            assertThat(run(crowded, sh("echo works"))).isEqualTo("works\n");
        }
    }

    @Test
    void S06_the_engines_own_seccomp_profile() throws Exception {
        assertThat(run(sh("grep '^Seccomp:' /proc/self/status"))).isEqualTo("Seccomp:\t2\n");
    }

    @Test
    void S07_temporary_files_are_in_memory_with_a_size() throws Exception {
        String mounts = run(sh("cat /proc/self/mounts"));
        assertThat(mounts)
                .containsPattern("tmpfs /tmp tmpfs rw,nosuid,nodev,[^ ]*size=65536k")
                .containsPattern("tmpfs /run tmpfs rw,nosuid,nodev,noexec,[^ ]*size=65536k")
                .containsPattern("tmpfs /run/hermit tmpfs rw,nosuid,nodev,noexec,[^ ]*size=8192k,mode=700");
        assertThat(run(sh("printf '#!/bin/sh\\necho ran' >/tmp/x; chmod +x /tmp/x; /tmp/x")))
                .isEqualTo("ran\n");
    }

    @Test
    void S08_the_keeper_is_process_1() throws Exception {
        assertThat(run(sh("tr '\\0' ' ' </proc/1/cmdline"))).isEqualTo("/opt/hermit/keeper init ");
    }

    @Test
    void S09_S10_logs_descriptors_and_cores_are_bounded() throws Exception {
        assertThat(host().getLogConfig().getConfig()).containsEntry("max-size", "1m");
        assertThat(run(sh("ulimit -c; ulimit -Hn"))).isEqualTo("0\n16384\n");
        assertThat(host().getOomScoreAdj()).isEqualTo(500);
        assertThat(host().getRestartPolicy().getName()).isEqualTo("no");
    }

    @Test
    void S14_two_mounts() throws Exception {
        assertThat(inspect().getMounts())
                .extracting(
                        each -> Objects.requireNonNull(each.getDestination()).getPath(),
                        InspectContainerResponse.Mount::getRW)
                .containsExactlyInAnyOrder(tuple("/root", true), tuple("/opt/hermit", false));
        assertThat(run(sh("touch /opt/hermit/x 2>/dev/null || echo refused"))).isEqualTo("refused\n");
    }

    @Test
    void S16_labels_name_the_owner() {
        assertThat(inspect().getConfig().getLabels())
                .containsEntry(Labels.INSTANCE, docker.instance.toString())
                .containsEntry(Labels.AGENT, spec.agentUid().toString())
                .containsEntry(Labels.SANDBOX, spec.sandboxId().toString())
                .containsEntry(Labels.GENERATION, "1")
                .containsKey(Labels.CONFIG);
    }

    @Test
    void S18_nothing_of_the_gateway_is_seen() throws Exception {
        assertThat(run(sh("hostname"))).isEqualTo("sandbox\n");
        String env = run(sh("env"));
        System.getenv().forEach((name, value) -> {
            if (value.length() > 8 && !name.equals("PATH")) assertThat(env).doesNotContain(value);
        });
        assertThat(inspect().getConfig().getEnv()).allMatch(each -> each.startsWith("PATH="));
    }

    @Test
    void S31_one_sandbox_does_not_reach_another() throws Exception {
        var other = TestDocker.row(config);
        try (var neighbour = docker.open(other)) {
            neighbour.ensure(Progress.NONE);
            var networks = docker.hand
                    .inspectContainerCmd(ContainerName.of(other))
                    .exec()
                    .getNetworkSettings()
                    .getNetworks();
            String address =
                    Objects.requireNonNull(networks.get(docker.networkName())).getIpAddress();
            // A port that nobody listens on answers a reset where it is reached at all; here nothing comes.
            String probe = "timeout 2 bash -c 'echo >/dev/tcp/%s/%d' 2>&1; echo $?";
            assertThat(run(sh(probe.formatted(address, 80)))).isEqualTo("124\n");
            assertThat(run(neighbour, sh(probe.formatted(address, 80)))).contains("refused");
        }
    }

    @Test
    void S36_no_port_is_published() {
        assertThat(host().getPublishAllPorts()).isFalse();
        assertThat(host().getPortBindings()).isNull();
    }

    @Test
    void S37_there_is_no_IPv6() throws Exception {
        assertThat(run(sh("grep -v ' lo$' /proc/net/if_inet6; true"))).isEmpty();
    }

    @Test
    void S30_a_network_of_its_own_or_none() throws Exception {
        for (var kind : DockerConfig.Network.values()) {
            var row = TestDocker.row(TestDocker.config(Map.of("network", kind.toString())));
            try (var each = docker.open(row)) {
                each.ensure(Progress.NONE);
                var networks = docker.hand
                        .inspectContainerCmd(ContainerName.of(row))
                        .exec()
                        .getNetworkSettings()
                        .getNetworks();
                assertThat(networks)
                        .containsOnlyKeys(
                                switch (kind) {
                                    case NONE -> "none";
                                    case INTERNAL -> docker.networkName() + "-internal";
                                    case OPEN -> docker.networkName();
                                });
                assertThat(run(each, sh("grep -c eth0 /proc/net/dev")).strip())
                        .isEqualTo(kind == DockerConfig.Network.NONE ? "0" : "1");
                each.destroy();
            }
        }
    }

    @Test
    void programs_need_not_be_known_to_a_shell() throws Exception {
        assertThat(run(argv("id", "-un"))).isEqualTo("root\n");
    }
}
