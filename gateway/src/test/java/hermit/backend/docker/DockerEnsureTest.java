package hermit.backend.docker;

import static hermit.exec.CommandBuilder.argv;
import static hermit.exec.CommandBuilder.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.dockerjava.api.exception.NotFoundException;
import hermit.backend.keeper.TestKeeper;
import hermit.exec.CommandBuilder;
import hermit.exec.DockerConfig;
import hermit.exec.ExecBackend;
import hermit.exec.LiveState;
import hermit.exec.Machine;
import hermit.exec.MachineGone;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import hermit.exec.Recording;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.Unsupported;
import hermit.problem.ProblemCode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What an ensure does about everything that it may find.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DockerEnsureTest {
    private static final String ANEW = "the sandbox had to be created anew; workspace files are kept";

    private final TestDocker docker = new TestDocker();
    private final MachineSpec spec = TestDocker.row(TestDocker.config(Map.of()));
    private final String name = ContainerName.of(spec);

    @AfterEach
    void remove_everything() throws Exception {
        docker.close();
    }

    private static String run(ExecBackend backend, CommandBuilder command) throws Exception {
        var output = new Recording();
        backend.start(command.build(), output).await();
        return output.stdout() + output.stderr();
    }

    private String id() {
        return docker.hand.inspectContainerCmd(name).exec().getId();
    }

    private LiveState.State listed() throws Exception {
        return Objects.requireNonNull(docker.provider.observeAll().get(spec.sandboxId()))
                .state();
    }

    /// Waits for the watch to have heard of something that was done by hand.
    private static void awaitNotReady(ExecBackend backend) {
        while (backend.isReady()) Thread.onSpinWait();
    }

    private static void awaitReady(ExecBackend backend) throws InterruptedException {
        while (!backend.isReady()) backend.ensure(Progress.NONE);
    }

    @Test
    void the_first_one_makes_the_container_and_the_next_ones_find_it() throws Exception {
        try (var backend = docker.open(spec)) {
            assertThat(backend.observe().state()).isEqualTo(LiveState.State.ABSENT);
            assertThat(backend.isReady()).isFalse();
            var machine = backend.ensure(Progress.NONE);
            assertThat(machine).isEqualTo(new Machine(name, 1, List.of()));
            assertThat(name)
                    .isEqualTo(
                            "hermit-main-default-" + spec.sandboxId().toString().substring(0, 8));
            String id = id();
            assertThat(backend.ensure(Progress.NONE)).isEqualTo(machine);
            assertThat(backend.observe().state()).isEqualTo(LiveState.State.RUNNING);
            for (int i = 0; i < 5; i++)
                try (var restarted = docker.open(TestDocker.after(spec, machine))) {
                    assertThat(restarted.ensure(Progress.NONE)).isEqualTo(machine);
                    assertThat(run(restarted, sh("echo $((6 * 7))"))).isEqualTo("42\n");
                }
            assertThat(id()).isEqualTo(id);
            assertThat(docker.containers()).containsExactly(name);
        }
    }

    @Test
    void the_longest_names_fit() throws Exception {
        var longest = new MachineSpec(
                UUID.randomUUID(),
                UUID.randomUUID(),
                "a".repeat(63),
                "b".repeat(63),
                spec.config(),
                0,
                Optional.empty());
        try (var backend = docker.open(longest)) {
            assertThat(backend.ensure(Progress.NONE).externalId()).hasSize(143);
            assertThat(run(backend, sh("hostname"))).isEqualTo("sandbox\n");
        }
    }

    @Test
    void readiness_needs_no_question_and_is_true_once_the_events_are_connected() throws Exception {
        try (var backend = docker.open(spec)) {
            backend.ensure(Progress.NONE);
            awaitReady(backend);
            assertThat(run(backend, sh("echo hi"))).isEqualTo("hi\n");
            assertThat(backend.isReady()).isTrue();
        }
    }

    @Test
    void one_that_was_removed_by_hand_is_made_anew_with_its_files() throws Exception {
        try (var backend = docker.open(spec)) {
            backend.ensure(Progress.NONE);
            awaitReady(backend);
            run(backend, sh("echo mine >~/file"));
            docker.hand.removeContainerCmd(id()).withForce(true).exec();
            awaitNotReady(backend);
            assertThatThrownBy(() -> run(backend, sh("true"))).isInstanceOf(MachineGone.class);
            assertThat(backend.ensure(Progress.NONE)).isEqualTo(new Machine(name, 2, List.of(ANEW)));
            assertThat(run(backend, sh("cat ~/file"))).isEqualTo("mine\n");
            assertThat(backend.ensure(Progress.NONE)).isEqualTo(new Machine(name, 2, List.of()));
        }
    }

    /// The engine shows a container as running for a moment in which it cannot be entered any more, and then says so in
    /// the stream.
    @Test
    void one_that_cannot_be_entered_though_it_is_shown_as_running_is_looked_at_anew() throws Exception {
        String text = "cannot exec in a stopped container: unknown\r\n";
        var settings = docker.settings(docker.instance, DockerSettings.PullPolicy.NEVER);
        try (var line = new HeldEngine("^POST .*/exec/[0-9a-f]+/start");
                var provider = new DockerProvider(
                        TestDocker.at(line.endpoint(), settings), docker.scheduler, new SecureRandom());
                var backend = provider.open(spec)) {
            line.letThrough();
            backend.ensure(Progress.NONE);
            line.answerInstead("HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\n"
                    + "Connection: Upgrade\r\nUpgrade: tcp\r\n\r\n\1\0\0\0\0\0\0" + (char) text.length() + text);
            docker.hand.restartContainerCmd(id()).withTimeout(0).exec();
            awaitNotReady(backend);

            assertThatThrownBy(() -> run(backend, sh("true")))
                    .isInstanceOf(MachineGone.class)
                    .hasMessageContaining("running");

            line.letThrough();
            backend.ensure(Progress.NONE);
            assertThat(run(backend, sh("echo hi"))).isEqualTo("hi\n");
        }
    }

    @Test
    void the_last_words_of_one_that_is_gone_are_none() throws Exception {
        try (var parts =
                Docker.of(docker.settings(docker.instance, DockerSettings.PullPolicy.NEVER), docker.scheduler)) {
            assertThat(parts.containers().lastLines("0".repeat(64))).isEmpty();
        }
    }

    @Test
    void one_that_was_paused_by_hand_is_resumed() throws Exception {
        try (var backend = docker.open(spec)) {
            backend.ensure(Progress.NONE);
            awaitReady(backend);
            String id = id();
            docker.hand.pauseContainerCmd(id).exec();
            awaitNotReady(backend);
            assertThat(backend.observe().state()).isEqualTo(LiveState.State.PAUSED);
            assertThat(backend.ensure(Progress.NONE))
                    .isEqualTo(new Machine(name, 1, List.of("the sandbox was paused and has been resumed")));
            assertThat(run(backend, sh("echo hi"))).isEqualTo("hi\n");
            assertThat(id()).isEqualTo(id);
        }
    }

    @Test
    void a_command_for_a_paused_one_is_refused_rather_than_left_waiting() throws Exception {
        try (var backend = docker.open(spec)) {
            backend.ensure(Progress.NONE);
            docker.hand.pauseContainerCmd(id()).exec();
            // The caller has not asked whether it is ready: the silence of the keeper is noticed.
            assertThatThrownBy(() -> run(backend, sh("true"))).isInstanceOf(MachineGone.class);
            docker.hand.unpauseContainerCmd(id()).exec();
        }
    }

    @Test
    void a_paused_one_can_be_shut_down_and_destroyed() throws Exception {
        try (var backend = docker.open(spec)) {
            backend.ensure(Progress.NONE);
            docker.hand.pauseContainerCmd(id()).exec();
            backend.shutdown();
            assertThat(backend.observe().state()).isEqualTo(LiveState.State.STOPPED);
            backend.ensure(Progress.NONE);
            docker.hand.pauseContainerCmd(id()).exec();
            backend.destroy();
            assertThat(docker.containers()).isEmpty();
            backend.destroy();
        }
    }

    @Test
    void one_that_was_stopped_or_killed_by_hand_is_started_again_and_says_so() throws Exception {
        try (var backend = docker.open(spec)) {
            backend.ensure(Progress.NONE);
            String id = id();
            var started = List.of("the sandbox had been stopped and was started again; workspace files are kept");
            docker.hand.stopContainerCmd(id).exec();
            assertThat(backend.ensure(Progress.NONE)).isEqualTo(new Machine(name, 1, started));
            assertThat(run(backend, sh("echo hi"))).isEqualTo("hi\n");
            docker.hand.killContainerCmd(id).exec();
            assertThat(backend.ensure(Progress.NONE)).isEqualTo(new Machine(name, 1, started));
            assertThat(run(backend, sh("echo hi"))).isEqualTo("hi\n");
            docker.hand.restartContainerCmd(id).exec();
            assertThat(backend.ensure(Progress.NONE).generation()).isEqualTo(1);
            assertThat(run(backend, sh("echo hi"))).isEqualTo("hi\n");
            assertThat(id()).isEqualTo(id);
        }
    }

    @Test
    void one_that_was_shut_down_is_started_again_without_a_word() throws Exception {
        Machine machine;
        try (var backend = docker.open(spec)) {
            machine = backend.ensure(Progress.NONE);
            backend.shutdown();
            assertThat(backend.ensure(Progress.NONE)).isEqualTo(machine);
            backend.shutdown();
        }
        try (var restarted = docker.open(TestDocker.after(spec, machine))) {
            assertThat(restarted.ensure(Progress.NONE)).isEqualTo(machine);
        }
    }

    @Test
    void the_keeper_ends_at_once_by_the_engines_TERM() throws Exception {
        try (var backend = docker.open(spec)) {
            backend.ensure(Progress.NONE);
            backend.shutdown();
            var state = docker.hand.inspectContainerCmd(name).exec().getState();
            // Not killed after the engine's patience, which would be 137.
            assertThat(state.getExitCodeLong()).isIn(0L, 143L);
            assertThat(state.getOOMKilled()).isFalse();
        }
    }

    @Test
    void one_that_was_renamed_by_hand_gets_its_name_back() throws Exception {
        try (var backend = docker.open(spec)) {
            backend.ensure(Progress.NONE);
            String id = id();
            docker.hand.renameContainerCmd(id).withName(name + "-old").exec();
            assertThat(backend.ensure(Progress.NONE)).isEqualTo(new Machine(name, 1, List.of()));
            assertThat(id()).isEqualTo(id);
        }
    }

    @Test
    void another_config_means_another_container() throws Exception {
        Machine machine;
        try (var backend = docker.open(spec)) {
            machine = backend.ensure(Progress.NONE);
            run(backend, sh("echo mine >~/file"));
        }
        var changed = TestDocker.config(Map.of("pids_limit", 99));
        try (var backend = docker.open(TestDocker.after(spec, machine, changed))) {
            assertThat(backend.ensure(Progress.NONE))
                    .isEqualTo(new Machine(
                            name,
                            2,
                            List.of("the sandbox had to be created anew (its configuration has changed);"
                                    + " workspace files are kept")));
            assertThat(run(backend, sh("cat ~/file"))).isEqualTo("mine\n");
            assertThat(docker.hand
                            .inspectContainerCmd(name)
                            .exec()
                            .getHostConfig()
                            .getPidsLimit())
                    .isEqualTo(99);
            assertThat(docker.containers()).containsExactly(name);
        }
    }

    @Test
    void another_environment_reaches_the_same_container() throws Exception {
        Machine machine;
        try (var backend = docker.open(spec)) {
            machine = backend.ensure(Progress.NONE);
        }
        var changed = TestDocker.config(Map.of("env", Map.of("WORD", "new")));
        try (var backend = docker.open(TestDocker.after(spec, machine, changed))) {
            assertThat(backend.ensure(Progress.NONE)).isEqualTo(machine);
            assertThat(run(backend, sh("echo $WORD"))).isEqualTo("new\n");
        }
    }

    @Test
    void a_foreign_container_with_the_name_is_left_alone() throws Exception {
        String foreign = docker.hand
                .createContainerCmd(TestDocker.image())
                .withName(name)
                .withCmd("sleep", "1000")
                .exec()
                .getId();
        try (var backend = docker.open(spec)) {
            docker.hand.startContainerCmd(foreign).exec();
            assertThatThrownBy(() -> backend.ensure(Progress.NONE))
                    .isInstanceOfSatisfying(
                            Conflict.class, e -> assertThat(e.code()).isEqualTo(ProblemCode.NAME_TAKEN))
                    .hasMessageContaining(name);
            assertThat(backend.observe().state()).isEqualTo(LiveState.State.ERROR);
            backend.shutdown();
            backend.destroy();
            var state = docker.hand.inspectContainerCmd(foreign).exec();
            assertThat(state.getState().getRunning()).isTrue();
            assertThat(state.getExecIds()).isNullOrEmpty();
        } finally {
            docker.hand.removeContainerCmd(foreign).withForce(true).exec();
        }
    }

    @Test
    void a_container_of_another_gateway_or_row_is_foreign() throws Exception {
        try (var backend = docker.open(spec)) {
            backend.ensure(Progress.NONE);
        }
        var labels = docker.hand.inspectContainerCmd(name).exec().getConfig().getLabels();
        docker.hand.removeContainerCmd(name).withForce(true).exec();
        for (String label : List.of(Labels.INSTANCE, Labels.AGENT, Labels.SANDBOX)) {
            var forged = new HashMap<>(labels);
            forged.put(label, UUID.randomUUID().toString());
            String id = docker.hand
                    .createContainerCmd(TestDocker.image())
                    .withName(name)
                    .withLabels(forged)
                    .withCmd("true")
                    .exec()
                    .getId();
            try (var backend = docker.open(spec)) {
                assertThatThrownBy(() -> backend.ensure(Progress.NONE)).isInstanceOf(Conflict.class);
            } finally {
                docker.hand.removeContainerCmd(id).withForce(true).exec();
            }
        }
    }

    @Test
    void a_failed_first_one_leaves_no_container() throws Exception {
        for (DockerConfig impossible : List.of(
                TestDocker.config(Map.of("cpus", 1000)),
                TestDocker.config(Map.of("runtime", "no-such-runtime")),
                TestDocker.config(Map.of("username", "nosuch")),
                TestDocker.config(Map.of("image", "no/such-image:here")))) {
            var row = TestDocker.row(impossible);
            try (var backend = docker.open(row)) {
                for (int i = 0; i < 2; i++)
                    assertThatThrownBy(() -> backend.ensure(Progress.NONE)).isInstanceOf(Unsupported.class);
            }
        }
        assertThat(docker.containers()).isEmpty();
    }

    @Test
    void the_engines_own_words_say_what_is_wrong_with_a_config() throws Exception {
        try (var backend = docker.open(TestDocker.row(TestDocker.config(Map.of("cpus", 1000))))) {
            assertThatThrownBy(() -> backend.ensure(Progress.NONE)).hasMessageContaining("CPUs");
        }
        try (var backend = docker.open(TestDocker.row(TestDocker.config(Map.of("runtime", "no-such-runtime"))))) {
            assertThatThrownBy(() -> backend.ensure(Progress.NONE)).hasMessageContaining("no-such-runtime");
        }
        try (var backend = docker.open(TestDocker.row(TestDocker.config(Map.of("username", "nosuch"))))) {
            assertThatThrownBy(() -> backend.ensure(Progress.NONE))
                    .hasMessage("image %s has no user 'nosuch'".formatted(TestDocker.image()));
        }
    }

    @Test
    void one_whose_keeper_ends_at_once_leaves_no_container_and_says_why() throws Exception {
        var broken = new AtomicReference<byte[]>();
        var settings = docker.settings(docker.instance, DockerSettings.PullPolicy.NEVER, architecture -> {
            broken.set(withoutInit(architecture));
            return Optional.of(broken.get());
        });
        try (var provider = new DockerProvider(settings, docker.scheduler, new SecureRandom());
                var backend = provider.open(spec)) {
            assertThatThrownBy(() -> backend.ensure(Progress.NONE))
                    .isInstanceOf(GatewayException.ProviderError.class)
                    .hasMessageContaining("it ended with 2: keeper init | daemon");
            assertThat(docker.containers()).isEmpty();
        } finally {
            docker.removeKeeper(broken.get());
        }
    }

    /// A keeper that does all that brings it into a sandbox, and does not know how to be its first process.
    private static byte[] withoutInit(String architecture) {
        String program = new String(
                TestKeeper.PROGRAMS.forArchitecture(architecture).orElseThrow(), StandardCharsets.ISO_8859_1);
        String changed = program.replace("\0init\0", "\0inix\0");
        assertThat(changed).isNotEqualTo(program);
        return changed.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void too_little_memory_for_a_container_is_the_configs_fault() throws Exception {
        var row = TestDocker.row(TestDocker.config(Map.of("memory_limit", "8m")));
        try (var backend = docker.open(row)) {
            try {
                backend.ensure(Progress.NONE);
                assertThat(run(backend, sh("echo enough"))).isEqualTo("enough\n");
            } catch (Unsupported e) {
                // How much the engine's runtime itself needs differs.
                assertThat(e.detail()).contains("memory");
                assertThat(docker.containers()).isEmpty();
            }
        }
    }

    @Test
    void an_interrupted_first_one_leaves_no_container() throws Exception {
        var thrown = new CompletableFuture<Throwable>();
        try (var backend = docker.open(TestDocker.row(TestDocker.config(Map.of("username", "1000"))))) {
            var ensuring = Thread.ofVirtual().unstarted(() -> {
                try {
                    backend.ensure(Progress.NONE);
                } catch (InterruptedException | RuntimeException e) {
                    thrown.complete(e);
                }
            });
            try (var events = docker.whenCreated(ensuring::interrupt)) {
                ensuring.start();
                assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
                assertThat(events).isNotNull();
            }
            ensuring.join();
        }
        assertThat(docker.containers()).isEmpty();
    }

    @Test
    void a_container_that_a_dying_gateway_had_only_created_is_brought_up() throws Exception {
        try (var backend = docker.open(spec)) {
            backend.ensure(Progress.NONE);
        }
        var made = docker.hand.inspectContainerCmd(name).exec();
        docker.hand.removeContainerCmd(name).withForce(true).exec();
        docker.hand
                .createContainerCmd(TestDocker.image())
                .withName(name)
                .withLabels(made.getConfig().getLabels())
                .withEntrypoint(made.getConfig().getEntrypoint())
                .withCmd(made.getConfig().getCmd())
                .withHostConfig(made.getHostConfig())
                .exec();
        try (var backend = docker.open(spec)) {
            assertThat(backend.ensure(Progress.NONE)).isEqualTo(new Machine(name, 1, List.of()));
            assertThat(run(backend, sh("echo hi"))).isEqualTo("hi\n");
        }
    }

    @Test
    void a_container_of_which_the_dying_gateway_wrote_nothing_down_is_adopted() throws Exception {
        try (var backend = docker.open(spec)) {
            backend.ensure(Progress.NONE);
        }
        String id = id();
        try (var backend = docker.open(spec)) {
            assertThat(backend.ensure(Progress.NONE)).isEqualTo(new Machine(name, 1, List.of()));
        }
        assertThat(id()).isEqualTo(id);
    }

    @Test
    void one_that_cannot_be_started_any_more_is_replaced() throws Exception {
        var open = TestDocker.row(TestDocker.config(Map.of("network", "open")));
        try (var backend = docker.open(open)) {
            var machine = backend.ensure(Progress.NONE);
            backend.shutdown();
            // Its network is gone, as after a clean-up by hand.
            docker.hand.removeNetworkCmd(docker.networkName()).exec();
            var again = backend.ensure(Progress.NONE);
            assertThat(again.generation()).isEqualTo(2);
            assertThat(again.externalId()).isEqualTo(machine.externalId());
            assertThat(again.notes()).singleElement().asString().contains("created anew");
            assertThat(run(backend, sh("echo hi"))).isEqualTo("hi\n");
        }
    }

    @Test
    void a_keeper_that_is_out_of_reach_is_started_again() throws Exception {
        Machine machine;
        try (var backend = docker.open(spec)) {
            machine = backend.ensure(Progress.NONE);
            run(backend, sh("rm /run/hermit/keeper.sock; echo kept >/etc/kept"));
        }
        try (var backend = docker.open(TestDocker.after(spec, machine))) {
            assertThat(backend.ensure(Progress.NONE))
                    .isEqualTo(new Machine(
                            name,
                            1,
                            List.of("the sandbox did not answer and was started again; workspace files are kept")));
            assertThat(run(backend, sh("cat /etc/kept"))).isEqualTo("kept\n");
        }
    }

    @Test
    void an_images_entrypoint_user_directory_and_health_check_are_overridden() throws Exception {
        TestImages.build(docker.hand, "hermit-test/entrypoint:" + docker.instance, """
                FROM %s
                ENV FLAVOUR=image
                WORKDIR /proc/self/fd/7
                USER nobody
                HEALTHCHECK CMD false
                STOPSIGNAL SIGUSR1
                ENTRYPOINT ["/bin/echo"]
                """.formatted(TestDocker.image()));
        try (var backend = docker.open(
                TestDocker.row(TestDocker.config(Map.of("image", "hermit-test/entrypoint:" + docker.instance))))) {
            backend.ensure(Progress.NONE);
            assertThat(run(backend, sh("id -un; pwd; echo $FLAVOUR"))).isEqualTo("root\n/root\nimage\n");
            backend.shutdown();
            assertThat(backend.observe().state()).isEqualTo(LiveState.State.STOPPED);
        } finally {
            docker.removeImage("hermit-test/entrypoint:" + docker.instance);
        }
    }

    @Test
    void an_image_without_a_shell_says_so() throws Exception {
        TestImages.build(docker.hand, "hermit-test/bare:" + docker.instance, "FROM scratch\nCOPY FILE /file\n");
        try (var backend = docker.open(TestDocker.row(
                TestDocker.config(Map.of("image", "hermit-test/bare:" + docker.instance, "username", "0"))))) {
            backend.ensure(Progress.NONE);
            assertThatThrownBy(() -> run(backend, sh("true")))
                    .isInstanceOf(Unsupported.class)
                    .hasMessageContaining("shell");
            assertThat(run(backend, argv(KeeperVolume.PROGRAM, "version"))).startsWith("keeper ");
        } finally {
            docker.removeImage("hermit-test/bare:" + docker.instance);
        }
    }

    @Test
    void several_sandboxes_of_an_agent_share_its_files() throws Exception {
        var agent = UUID.randomUUID();
        var one = TestDocker.row(agent, TestDocker.config(Map.of()));
        var two = TestDocker.row(agent, TestDocker.config(Map.of("username", "1000", "agent_home", "/home/agent")));
        try (var first = docker.open(one);
                var second = docker.open(two)) {
            first.ensure(Progress.NONE);
            second.ensure(Progress.NONE);
            run(second, sh("echo shared >~/file"));
            assertThat(run(first, sh("cat /root/file"))).isEqualTo("shared\n");
            assertThat(run(first, sh("echo more >>/root/file; cat /root/file"))).isEqualTo("shared\nmore\n");
            assertThat(docker.containers()).hasSize(2);
        }
    }

    @Test
    void a_link_in_place_of_a_workspace_is_not_mounted() throws Exception {
        Path host = Files.createDirectory(docker.scratch.resolve("host"));
        try (var backend = docker.open(spec)) {
            backend.ensure(Progress.NONE);
            backend.destroy();
            Path workspace = docker.root.resolve(spec.agentUid().toString());
            Trees.remove(workspace);
            Files.createSymbolicLink(workspace, host);
            assertThatThrownBy(() -> backend.ensure(Progress.NONE))
                    .isInstanceOf(GatewayException.class)
                    .hasMessageContaining("not a directory");
            assertThat(docker.containers()).isEmpty();
            Files.delete(workspace);
        }
    }

    @Test
    void the_listing_shows_all_of_ours_and_nothing_else() throws Exception {
        String foreign = docker.hand
                .createContainerCmd(TestDocker.image())
                .withCmd("true")
                .withLabels(Map.of("hermit.sandbox", UUID.randomUUID().toString(), "big", "x".repeat(300_000)))
                .exec()
                .getId();
        try (var backend = docker.open(spec)) {
            backend.ensure(Progress.NONE);
            assertThat(docker.provider.observeAll()).containsOnlyKeys(spec.sandboxId());
            assertThat(listed()).isEqualTo(LiveState.State.RUNNING);
            backend.shutdown();
            assertThat(listed()).as("at most two seconds old").isEqualTo(LiveState.State.RUNNING);
            docker.clock.advance(ObservedStates.AGE);
            assertThat(listed()).isEqualTo(LiveState.State.STOPPED);
        } finally {
            docker.hand.removeContainerCmd(foreign).withForce(true).exec();
        }
    }

    @Test
    void nothing_is_left_of_a_destroyed_one() throws Exception {
        try (var backend = docker.open(spec)) {
            backend.ensure(Progress.NONE);
            backend.destroy();
            assertThatThrownBy(() -> docker.hand.inspectContainerCmd(name).exec())
                    .isInstanceOf(NotFoundException.class);
            assertThat(backend.observe().state()).isEqualTo(LiveState.State.ABSENT);
        }
    }
}
