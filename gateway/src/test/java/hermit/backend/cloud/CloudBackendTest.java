package hermit.backend.cloud;

import static hermit.exec.CommandBuilder.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import hermit.backend.keeper.SystemScheduler;
import hermit.backend.keeper.TestKeeper;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.CommandBuilder;
import hermit.exec.ExecBackend;
import hermit.exec.Exit;
import hermit.exec.LiveState.State;
import hermit.exec.Machine;
import hermit.exec.MachineGone;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import hermit.exec.Recording;
import hermit.problem.GatewayException.BackendUnavailable;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The life of a cloud row, with the real keeper in machines that are folders of this host.
@Timeout(120) // only so that a broken test ends
@DisplayNameGeneration(ReplaceUnderscores.class)
class CloudBackendTest {
    private static final UUID INSTANCE = new UUID(1, 1);
    private static final UUID AGENT = new UUID(2, 2);
    private static final UUID SANDBOX = new UUID(3, 3);

    private final LocalCloud cloud = new LocalCloud();
    private final SystemScheduler scheduler = new SystemScheduler(InstantSource.system());

    @TempDir
    private Path home;

    @AfterEach
    void let_go() {
        scheduler.close();
        cloud.close();
    }

    private ExecBackend backend(long generation, Optional<String> externalId) {
        var config = BackendConfig.of(
                BackendType.E2B,
                Map.of("username", "root", "agent_home", home.toString(), "env", Map.of("A", "1")),
                "");
        var spec = new MachineSpec(SANDBOX, AGENT, "main", "default", config, generation, externalId);
        return new CloudBackend(cloud, spec, INSTANCE, TestKeeper.PROGRAMS, scheduler, new Random());
    }

    private ExecBackend fresh() {
        return backend(0, Optional.empty());
    }

    private static String run(ExecBackend on, CommandBuilder command) throws Exception {
        var output = new Recording();
        var end = on.start(command.build(), output).await();
        assertThat(end.exit()).isEqualTo(new Exit.Exited(0));
        return output.stdout();
    }

    @Test
    void the_first_ensure_makes_a_machine_and_commands_run_in_it() throws Exception {
        try (var backend = fresh()) {
            assertThat(backend.isReady()).isFalse();
            var machine = backend.ensure(Progress.NONE);

            assertThat(machine).isEqualTo(new Machine("m1", 1, List.of()));
            assertThat(backend.isReady()).isTrue();
            assertThat(run(backend, sh("pwd; echo $A"))).isEqualTo(home + "\n1\n");
            assertThat(cloud.list(Optional.of(SANDBOX)).getFirst().marks())
                    .isEqualTo(new Marks(INSTANCE, AGENT, SANDBOX, 1).toMap());
        }
    }

    @Test
    void a_second_ensure_finds_the_same_machine() throws Exception {
        try (var backend = fresh()) {
            backend.ensure(Progress.NONE);
            assertThat(backend.ensure(Progress.NONE)).isEqualTo(new Machine("m1", 1, List.of()));
            assertThat(cloud.created).hasValue(1);
        }
    }

    @Test
    void after_a_restart_of_the_gateway_the_same_machine_and_its_running_command_are_found() throws Exception {
        var command = sh("echo before; read line < fifo; echo after $line").build();
        try (var before = fresh()) {
            before.ensure(Progress.NONE);
            run(before, sh("mkfifo fifo"));
            before.start(command, new Recording());
        }
        try (var after = backend(1, Optional.of("m1"))) {
            assertThat(after.ensure(Progress.NONE)).isEqualTo(new Machine("m1", 1, List.of()));
            var output = new Recording();
            var found = after.attach(command.id(), 0, 0, output).orElseThrow();
            run(after, sh("echo go > fifo"));
            assertThat(found.await().exit()).isEqualTo(new Exit.Exited(0));
            assertThat(output.stdout()).isEqualTo("before\nafter go\n");
        }
    }

    @Test
    void what_was_shut_down_is_resumed_and_processes_that_the_provider_kept_run_on() throws Exception {
        try (var backend = fresh()) {
            backend.ensure(Progress.NONE);
            backend.shutdown();
            assertThat(backend.isReady()).isFalse();
            assertThat(backend.observe().state()).isEqualTo(State.PAUSED);

            assertThat(backend.ensure(Progress.NONE).notes()).isEmpty();
            assertThat(cloud.asked).containsExactly("pause m1", "resume m1");
            assertThat(run(backend, sh("echo again"))).isEqualTo("again\n");
        }
    }

    @Test
    void a_machine_that_the_provider_paused_is_gone_for_a_command_and_resumed_by_the_next_ensure() throws Exception {
        try (var backend = fresh()) {
            backend.ensure(Progress.NONE);
            cloud.become("m1", State.PAUSED);

            assertThatExceptionOfType(MachineGone.class)
                    .isThrownBy(() -> backend.start(sh("echo never").build(), new Recording()));
            var machine = backend.ensure(Progress.NONE);
            assertThat(machine.generation()).isEqualTo(1);
            assertThat(machine.notes()).containsExactly("the sandbox was paused and has been resumed");
            assertThat(run(backend, sh("echo again"))).isEqualTo("again\n");
        }
    }

    @Test
    void a_command_under_which_the_machine_is_taken_away_is_lost() throws Exception {
        try (var backend = fresh()) {
            backend.ensure(Progress.NONE);
            var running = backend.start(sh("sleep 1000").build(), new Recording());
            cloud.lose("m1");
            assertThat(running.await().exit()).isInstanceOf(Exit.SandboxLost.class);
        }
    }

    @Test
    void a_machine_that_was_deleted_is_made_anew_and_that_is_said() throws Exception {
        try (var backend = fresh()) {
            backend.ensure(Progress.NONE);
            cloud.lose("m1");
            assertThatExceptionOfType(MachineGone.class)
                    .isThrownBy(() -> backend.start(sh("echo never").build(), new Recording()));

            var machine = backend.ensure(Progress.NONE);
            assertThat(machine.externalId()).isEqualTo("m2");
            assertThat(machine.generation()).isEqualTo(2);
            assertThat(machine.notes()).singleElement().asString().contains("m1 was gone");
            assertThat(run(backend, sh("echo again"))).isEqualTo("again\n");
        }
    }

    @Test
    void a_broken_machine_is_replaced_and_left_where_it_is() throws Exception {
        try (var backend = fresh()) {
            backend.ensure(Progress.NONE);
            cloud.become("m1", State.ERROR);

            var machine = backend.ensure(Progress.NONE);
            assertThat(machine.externalId()).isEqualTo("m2");
            assertThat(machine.generation()).isEqualTo(2);
            assertThat(machine.notes()).singleElement().asString().contains("m1 cannot be used any more");
            assertThat(cloud.find("m1")).isPresent();
        }
    }

    @Test
    void a_machine_that_comes_back_under_another_id_is_known_by_that_and_that_is_said() throws Exception {
        try (var backend = fresh()) {
            backend.ensure(Progress.NONE);
            backend.shutdown();
            cloud.renameAtResume = true;

            var machine = backend.ensure(Progress.NONE);
            assertThat(machine.externalId()).isEqualTo("m1-again");
            assertThat(machine.generation()).isEqualTo(2);
            assertThat(machine.notes()).singleElement().asString().contains("m1-again, before m1");
        }
    }

    @Test
    void a_machine_whose_making_was_never_confirmed_is_found_again_and_no_second_one_is_made() throws Exception {
        cloud.loseNextCreate = true;
        try (var backend = fresh()) {
            assertThatExceptionOfType(BackendUnavailable.class).isThrownBy(() -> backend.ensure(Progress.NONE));
        }
        try (var after = fresh()) { // the gateway was restarted in between, and the row knows nothing
            var machine = after.ensure(Progress.NONE);
            assertThat(machine.externalId()).isEqualTo("m1");
            assertThat(machine.generation()).isEqualTo(1);
            assertThat(cloud.created).hasValue(1);
        }
    }

    @Test
    void a_keeper_that_was_killed_loses_its_commands_and_is_started_again_for_the_next() throws Exception {
        try (var backend = fresh()) {
            backend.ensure(Progress.NONE);
            var running = backend.start(sh("sleep 1000").build(), new Recording());
            cloud.killKeeper("m1");

            assertThat(running.await().exit()).isInstanceOf(Exit.SandboxLost.class);
            assertThat(run(backend, sh("echo again"))).isEqualTo("again\n");
        }
    }

    @Test
    void an_ensure_of_a_machine_that_runs_puts_off_its_end() throws Exception {
        try (var backend = fresh()) {
            backend.ensure(Progress.NONE);
            assertThat(cloud.prolonged).hasValue(0);
            backend.ensure(Progress.NONE);
            assertThat(cloud.prolonged).hasValue(1);
        }
    }

    @Test
    void destroying_takes_along_what_a_lost_answer_has_made() throws Exception {
        cloud.loseNextCreate = true;
        try (var backend = fresh()) {
            assertThatExceptionOfType(BackendUnavailable.class).isThrownBy(() -> backend.ensure(Progress.NONE));
            backend.destroy();
            assertThat(cloud.list(Optional.empty())).isEmpty();
        }
    }
}
