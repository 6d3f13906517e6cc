package hermit.backend.docker;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.backend.keeper.KeeperProgram;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.DockerConfig;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ContainerPlanTest {
    private static final KeeperProgram KEEPER = new KeeperProgram("amd64", new byte[] {1}, "digest");

    private static DockerSettings settings(DockerConfig.Network network, Optional<String> runtime) {
        return new DockerSettings(
                UUID.randomUUID(),
                URI.create("unix:///var/run/docker.sock"),
                Optional.empty(),
                Optional.empty(),
                DockerSettings.PullPolicy.MISSING,
                network,
                runtime,
                Path.of("/workspaces"),
                _ -> Optional.empty(),
                DockerSettings.DEFAULT_ORPHAN_GRACE);
    }

    private static ContainerPlan plan(Map<String, Object> config) {
        return plan(config, 4, KEEPER);
    }

    private static ContainerPlan plan(Map<String, Object> config, int cpus, KeeperProgram keeper) {
        return ContainerPlan.of(
                (DockerConfig) BackendConfig.of(BackendType.DOCKER, config, "config"),
                settings(DockerConfig.Network.OPEN, Optional.empty()),
                new EngineFacts(new EngineVersion("20.10", ApiVersion.OLDEST, "amd64"), cpus, false),
                keeper);
    }

    @Test
    void each_value_makes_another_hash() {
        var all = List.of(
                plan(Map.of()),
                plan(Map.of("image", "debian:12")),
                plan(Map.of("username", "1000")),
                plan(Map.of("agent_home", "/home/x")),
                plan(Map.of("memory_limit", "1g")),
                plan(Map.of("rootfs_limit", "1g")),
                plan(Map.of("cpus", 1)),
                plan(Map.of("cpu_shares", 512)),
                plan(Map.of("pids_limit", 100)),
                plan(Map.of("network", "none")),
                plan(Map.of("runtime", "runsc")),
                plan(Map.of("read_only_rootfs", true)),
                plan(Map.of(), 4, new KeeperProgram("amd64", new byte[] {2}, "other")));
        var hashes = new HashSet<String>();
        all.forEach(each -> hashes.add(each.hash()));
        assertThat(hashes).hasSameSizeAs(all);
    }

    @Test
    void what_is_said_twice_or_comes_with_each_command_makes_none() {
        assertThat(plan(Map.of("cpus", new BigDecimal("2.0"), "memory_limit", "2048m", "network", "open"))
                        .hash())
                .isEqualTo(plan(Map.of()).hash());
        assertThat(plan(Map.of("env", Map.of("A", "b"), "timeout_ms", 1000, "disk_limit", "20g"))
                        .hash())
                .isEqualTo(plan(Map.of()).hash());
    }

    @Test
    void the_default_of_two_cpus_is_cut_to_what_there_is_and_a_given_number_is_not() {
        assertThat(plan(Map.of(), 1, KEEPER).cpus()).isEqualByComparingTo("1");
        assertThat(plan(Map.of(), 8, KEEPER).cpus()).isEqualByComparingTo("2");
        assertThat(plan(Map.of("cpus", 6), 1, KEEPER).cpus()).isEqualByComparingTo("6");
    }
}
