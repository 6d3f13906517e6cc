package hermit.backend.docker;

import static hermit.exec.CommandBuilder.sh;
import static org.assertj.core.api.Assertions.assertThat;

import hermit.backend.keeper.KeeperProgram;
import hermit.backend.keeper.TestKeeper;
import hermit.exec.Exit;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import hermit.exec.Recording;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What is removed without being asked for, and what never is.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DockerSweepTest {
    private static final Duration GRACE = DockerSettings.DEFAULT_ORPHAN_GRACE;

    private final TestDocker docker = new TestDocker();
    private final MachineSpec spec = TestDocker.row(TestDocker.config(Map.of()));

    @AfterEach
    void remove_everything() throws Exception {
        docker.close();
    }

    private void bringUp(MachineSpec row) throws Exception {
        try (var backend = docker.open(row)) {
            backend.ensure(Progress.NONE);
        }
    }

    private void run(MachineSpec row, String script) throws Exception {
        try (var backend = docker.open(row)) {
            backend.ensure(Progress.NONE);
            var output = new Recording();
            assertThat(backend.start(sh(script).build(), output).await().exit())
                    .as(output::stderr)
                    .isEqualTo(new Exit.Exited(0));
        }
    }

    private void sweep(Set<UUID> sandboxes) throws Exception {
        docker.provider.sweep(sandboxes, Set.of(spec.agentUid()));
    }

    @Test
    void a_container_without_a_row_goes_after_the_grace_period() throws Exception {
        bringUp(spec);
        sweep(Set.of());
        docker.clock.advance(GRACE.minusSeconds(1));
        sweep(Set.of());
        assertThat(docker.containers()).hasSize(1);
        docker.clock.advance(Duration.ofSeconds(2));
        sweep(Set.of());
        assertThat(docker.containers()).isEmpty();
    }

    @Test
    void one_look_is_not_enough_however_late_it_is() throws Exception {
        bringUp(spec);
        docker.clock.advance(GRACE.multipliedBy(10));
        sweep(Set.of());
        assertThat(docker.containers()).hasSize(1);
    }

    @Test
    void one_that_had_a_row_in_between_starts_over() throws Exception {
        bringUp(spec);
        sweep(Set.of());
        docker.clock.advance(GRACE);
        sweep(Set.of(spec.sandboxId()));
        sweep(Set.of());
        assertThat(docker.containers()).hasSize(1);
    }

    @Test
    void containers_of_another_gateway_or_of_nobody_are_not_touched() throws Exception {
        try (var other = new TestDocker()) {
            var theirs = TestDocker.row(TestDocker.config(Map.of()));
            try (var backend = other.open(theirs)) {
                backend.ensure(Progress.NONE);
            }
            String nobodys = docker.hand
                    .createContainerCmd(TestDocker.image())
                    .withCmd("true")
                    .exec()
                    .getId();
            try {
                sweep(Set.of());
                docker.clock.advance(GRACE);
                sweep(Set.of());
                assertThat(other.containers()).hasSize(1);
                assertThat(docker.hand.inspectContainerCmd(nobodys).exec().getId())
                        .isEqualTo(nobodys);
            } finally {
                docker.hand.removeContainerCmd(nobodys).exec();
            }
        }
    }

    @Test
    void a_helper_that_a_dying_gateway_left_goes_too() throws Exception {
        docker.hand
                .createContainerCmd(TestDocker.image())
                .withCmd("true")
                .withLabels(Map.of(Labels.INSTANCE, docker.instance.toString(), Labels.HELPER, "keeper-volume"))
                .exec();
        sweep(Set.of());
        docker.clock.advance(GRACE);
        sweep(Set.of());
        assertThat(docker.containers()).isEmpty();
    }

    @Test
    void keepers_of_other_versions_go_once_no_container_uses_them() throws Exception {
        byte[] unused = anotherKeeper();
        byte[] used = anotherKeeper();
        var programs = List.of(unused, used);
        try {
            for (byte[] program : programs) {
                var row = TestDocker.row(TestDocker.config(Map.of()));
                var settings =
                        docker.settings(docker.instance, DockerSettings.PullPolicy.NEVER, _ -> Optional.of(program));
                try (var older = new DockerProvider(settings, docker.scheduler, new SecureRandom());
                        var backend = older.open(row)) {
                    backend.ensure(Progress.NONE);
                    if (Arrays.equals(program, unused)) backend.destroy();
                    else backend.shutdown();
                }
            }
            bringUp(spec); // with this gateway's own keeper
            var live = docker
                    .hand
                    .listContainersCmd()
                    .withShowAll(true)
                    .withLabelFilter(Map.of(Labels.INSTANCE, docker.instance.toString()))
                    .exec()
                    .stream()
                    .flatMap(each -> Labels.sandbox(each.getLabels()).stream())
                    .collect(Collectors.toSet());
            docker.provider.sweep(live, Set.of());
            docker.clock.advance(GRACE.minusSeconds(1));
            docker.provider.sweep(live, Set.of());
            assertThat(volumesAndImages()).contains(volume(unused), image(unused));
            docker.clock.advance(Duration.ofSeconds(2));
            docker.provider.sweep(live, Set.of());
            assertThat(volumesAndImages())
                    .doesNotContain(volume(unused), image(unused))
                    .contains(volume(used));
            var own = TestKeeper.PROGRAMS
                    .forArchitecture(System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64")
                    .orElseThrow();
            assertThat(volumesAndImages()).contains(volume(own), image(own));
        } finally {
            docker.removeContainers();
            for (byte[] program : programs) docker.removeKeeper(program);
        }
    }

    @Test
    void what_only_looks_like_a_keeper_stays() throws Exception {
        String name = "hermit-keeper-" + UUID.randomUUID().toString().substring(0, 8) + "00000000";
        String tag = UUID.randomUUID().toString().substring(0, 8) + "00000000";
        String labelled = "notes-" + UUID.randomUUID();
        docker.hand.createVolumeCmd().withName(name).exec();
        docker.hand
                .createVolumeCmd()
                .withName(labelled)
                .withLabels(Map.of(Labels.KEEPER, "0".repeat(64)))
                .exec();
        docker.hand.tagImageCmd(TestDocker.image(), "hermit-keeper", tag).exec();
        try {
            sweep(Set.of());
            docker.clock.advance(GRACE);
            sweep(Set.of());
            assertThat(volumesAndImages()).contains(name, labelled, "hermit-keeper:" + tag);
        } finally {
            docker.hand.removeVolumeCmd(name).exec();
            docker.hand.removeVolumeCmd(labelled).exec();
            docker.hand.removeImageCmd("hermit-keeper:" + tag).exec();
        }
    }

    private static byte[] anotherKeeper() {
        return KeeperVolumeTest.keeperWith("\n# " + UUID.randomUUID());
    }

    private static String volume(byte[] program) {
        return "hermit-keeper-" + KeeperProgram.digest(program).substring(0, 16);
    }

    private static String image(byte[] program) {
        return "hermit-keeper:" + KeeperProgram.digest(program).substring(0, 16);
    }

    /// Names of all volumes and images on the engine.
    private Set<String> volumesAndImages() {
        var names = new HashSet<String>();
        docker.hand.listVolumesCmd().exec().getVolumes().forEach(each -> names.add(each.getName()));
        docker.hand.listImagesCmd().exec().forEach(each -> names.addAll(List.of(each.getRepoTags())));
        return names;
    }

    @Test
    void a_workspace_without_an_agent_goes_and_other_things_stay() throws Exception {
        bringUp(spec);
        var gone = UUID.randomUUID();
        Files.createDirectory(docker.root.resolve(gone.toString()));
        Files.writeString(docker.root.resolve(gone.toString()).resolve("file"), "x");
        Files.createDirectory(docker.root.resolve("notes"));
        Files.writeString(docker.root.resolve("README"), "x");
        docker.provider.sweep(Set.of(spec.sandboxId()), Set.of(spec.agentUid()));
        docker.clock.advance(GRACE);
        docker.provider.sweep(Set.of(spec.sandboxId()), Set.of(spec.agentUid()));
        assertThat(docker.root.resolve(gone.toString())).doesNotExist();
        assertThat(docker.root.resolve(spec.agentUid().toString())).isDirectory();
        assertThat(docker.root.resolve("notes")).isDirectory();
        assertThat(docker.root.resolve("README")).exists();
    }

    @Test
    void files_of_a_deleted_agent_go_whoever_owns_them_and_links_are_not_followed() throws Exception {
        Path host = Files.createDirectory(docker.scratch.resolve("host"));
        Files.writeString(host.resolve("precious"), "x");
        run(spec, """
                mkdir -p d/e/f && touch d/e/f/g && chmod 000 d/e && chown -R 1234:1234 d
                ln -s %s out && ln -s %s/precious d/precious && ln -s / root && ln d/precious hard; mkfifo pipe
                """.formatted(host, host));
        docker.provider.agentDeleted(spec.agentUid());
        assertThat(Files.exists(docker.root.resolve(spec.agentUid().toString()), LinkOption.NOFOLLOW_LINKS))
                .isFalse();
        assertThat(host.resolve("precious")).exists();
        docker.provider.agentDeleted(spec.agentUid());
    }

    @Test
    void a_gateway_that_is_not_root_lets_the_engine_remove_them() throws Exception {
        Path host = Files.createDirectory(docker.scratch.resolve("host"));
        Files.writeString(host.resolve("precious"), "x");
        run(spec, """
                mkdir -p d/e/f && touch d/e/f/g && chmod 000 d/e && chown -R 1234:1234 d && chmod 700 ~
                ln -s %s out && ln -s / root
                """.formatted(host));
        var other = UUID.randomUUID();
        Files.createDirectory(docker.root.resolve(other.toString()));
        try (var parts =
                Docker.of(docker.settings(docker.instance, DockerSettings.PullPolicy.NEVER), docker.scheduler)) {
            ((LocalWorkspaces) parts.workspaces()).removeAsRoot(spec.agentUid());
        }
        assertThat(Files.exists(docker.root.resolve(spec.agentUid().toString()), LinkOption.NOFOLLOW_LINKS))
                .isFalse();
        assertThat(docker.root.resolve(other.toString())).isDirectory();
        assertThat(host.resolve("precious")).exists();
    }

    @Test
    void a_link_in_place_of_a_workspace_is_removed_itself() throws Exception {
        Path host = Files.createDirectory(docker.scratch.resolve("host"));
        Files.writeString(host.resolve("precious"), "x");
        bringUp(spec);
        var agent = UUID.randomUUID();
        Files.createSymbolicLink(docker.root.resolve(agent.toString()), host);
        docker.provider.agentDeleted(agent);
        assertThat(Files.exists(docker.root.resolve(agent.toString()), LinkOption.NOFOLLOW_LINKS))
                .isFalse();
        assertThat(host.resolve("precious")).exists();
    }

    @Test
    void the_workspaces_are_the_gateways_and_each_belongs_to_its_user() throws Exception {
        var row = TestDocker.row(TestDocker.config(Map.of("username", "1000:1001", "agent_home", "/home/agent")));
        bringUp(row);
        assertThat(Files.getAttribute(docker.root, "unix:mode")).isEqualTo(040700);
        Path workspace = docker.root.resolve(row.agentUid().toString());
        assertThat(Files.getAttribute(workspace, "unix:uid")).isEqualTo(1000);
        assertThat(Files.getAttribute(workspace, "unix:gid")).isEqualTo(1001);
    }
}
