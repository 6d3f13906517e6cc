package hermit.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import hermit.agent.AgentId;
import hermit.agent.Agents;
import hermit.command.Commands.Accepted;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.Exit;
import hermit.exec.FakeProvider;
import hermit.exec.LiveState;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.GatewayException.NotFound;
import hermit.problem.GatewayException.RateLimited;
import hermit.problem.ProblemCode;
import hermit.sandbox.Alias;
import hermit.sandbox.Backends;
import hermit.sandbox.Machines;
import hermit.sandbox.MemoryStores;
import hermit.sandbox.Preset;
import hermit.sandbox.Presets;
import hermit.sandbox.Provisioning;
import hermit.sandbox.Sandboxes;
import hermit.world.TestWorld;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class CommandsTest {
    private static final AgentId MAIN = new AgentId("main");
    private static final UUID GATEWAY = new UUID(1, 1);

    private final TestWorld time = new TestWorld();
    private final MemoryStores stores = new MemoryStores();
    private final MemoryExecStore execs = new MemoryExecStore();
    private final FakeProvider docker = new FakeProvider(BackendType.DOCKER);
    private final Backends backends = new Backends(List.of(docker));
    private final Agents agents = new Agents(stores, time.world());
    private House house = new House();

    /// Everything that a restart of the gateway builds anew.
    private final class House {
        final Machines machines = new Machines(stores, backends, stores, GATEWAY, time.world());
        final Sandboxes sandboxes = new Sandboxes(agents, stores, backends, machines, time.world());
        final Watch watch = new Watch(execs, time.world(), record -> {});
        final Commands commands = new Commands(
                sandboxes,
                machines,
                execs,
                watch,
                new ExecLimits(Duration.ofMinutes(5), Duration.ofHours(1), 16, 1024, 3),
                GATEWAY,
                time.world());
        final Recovery recovery = new Recovery(execs, stores, machines, watch, GATEWAY, time.world());

        House() {
            machines.onArrival(new LostCommands(execs, machines, time.world()));
        }

        void die() {
            watch.close();
            machines.close();
        }
    }

    @BeforeEach
    void an_agent_with_a_docker_sandbox() {
        var presets = new Presets(
                List.of(new Preset("dev", BackendConfig.of(BackendType.DOCKER, Map.of(), ""))), Optional.of("dev"));
        new Provisioning(agents, stores, house.sandboxes, backends, presets, time.world())
                .create(Map.of("id", "main"), Optional.empty());
    }

    @AfterEach
    void stop() {
        house.die();
    }

    @Test
    void a_command_answers_with_its_streams_and_its_code() throws Exception {
        var view = run("echo out; err oops; exit 3");
        assertThat(text(view.stdout())).isEqualTo("out\n");
        assertThat(text(view.stderr())).isEqualTo("oops\n");
        assertThat(outcome(view).reason()).isEqualTo(EndReason.EXITED);
        assertThat(outcome(view).exitCode()).contains(3);
        assertThat(view.record().generation()).isEqualTo(1);
    }

    @Test
    void output_beyond_the_cap_is_dropped_and_counted() throws Exception {
        var view = run("echo 0123456789abcdefXYZ");
        assertThat(text(view.stdout())).isEqualTo("0123456789abcdef");
        assertThat(view.stdout().truncated()).isTrue();
        assertThat(view.stdout().dropped()).isEqualTo(4);
    }

    @Test
    void the_row_is_there_before_and_after() throws Exception {
        var live = start(Map.of("command", "hang"));
        var id = live.id().toString();
        assertThat(house.commands
                        .view(MAIN, Alias.DEFAULT, id, 0, 0, Duration.ZERO)
                        .record()
                        .state())
                .isEqualTo("running");
        docker.finish(live.record().sandboxId().value(), live.id(), new Exit.Exited(7));
        live.awaitEnd();
        var record = house.commands
                .view(MAIN, Alias.DEFAULT, id, 0, 0, Duration.ZERO)
                .record();
        assertThat(record.state()).isEqualTo("ended");
        assertThat(record.outcome().orElseThrow().exitCode()).contains(7);
        assertThat(house.commands
                        .list(MAIN, Alias.DEFAULT, ExecFilter.ALL, PageRequest.first(10))
                        .items())
                .hasSize(1);
    }

    @Test
    void a_timed_out_command_says_so_in_the_answer_and_in_stderr() throws Exception {
        var live = start(Map.of("command", "echo some; hang", "timeout_ms", 2_000, "max_output_bytes", 200));
        docker.finish(live.record().sandboxId().value(), live.id(), new Exit.TimedOut());
        live.awaitEnd();
        var view = house.commands.answer(live);
        assertThat(outcome(view).exitCode()).contains(137);
        assertThat(outcome(view).timedOut()).isTrue();
        assertThat(text(view.stdout())).isEqualTo("some\n");
        assertThat(text(view.stderr()))
                .isEqualTo("hermit: the command was ended because its budget of 2000 ms ran out\n");
    }

    @Test
    void a_missing_working_directory_is_the_callers_mistake_and_the_row_says_not_started() {
        var thrown = catchThrowableOfType(Invalid.class, () -> start(Map.of("command", "echo", "cwd", "missing")));
        assertThat(thrown.code()).isEqualTo(ProblemCode.CWD_NOT_FOUND);
        var row = execs.open(GATEWAY);
        assertThat(row).isEmpty();
        assertThat(last().outcome().orElseThrow().reason()).isEqualTo(EndReason.NOT_STARTED);
    }

    @Test
    void a_command_that_was_lost_with_its_machine_does_not_go_on_when_the_machine_is_back() throws Exception {
        var lost = start(Map.of("command", "hang"));
        var sandbox = lost.record().sandboxId().value();
        docker.freeze(sandbox);
        assertThat(lost.awaitEnd().outcome().orElseThrow().reason()).isEqualTo(EndReason.SANDBOX_LOST);
        assertThat(docker.isQuiet(sandbox)).isFalse();
        time.advance(Duration.ofMinutes(1));

        var next = run("echo x");

        assertThat(docker.isQuiet(sandbox)).isTrue();
        assertThat(next.record().notes())
                .containsExactly(
                        "1 command(s) that had been given up as lost came back with the sandbox and were ended");
        docker.freeze(sandbox);
        assertThat(run("echo y").record().notes()).isEmpty();
        assertThat(execs.find(lost.record().sandboxId(), lost.id())
                        .flatMap(ExecRecord::outcome)
                        .map(Outcome::reason))
                .contains(EndReason.SANDBOX_LOST);
    }

    @Test
    void lost_commands_that_cannot_be_looked_for_keep_nobody_from_the_machine_and_are_looked_for_again()
            throws Exception {
        var lost = start(Map.of("command", "hang"));
        var sandbox = lost.record().sandboxId().value();
        docker.freeze(sandbox);
        lost.awaitEnd();
        docker.forgetful = true;

        var next = run("echo x");

        assertThat(outcome(next).exitCode()).contains(0);
        assertThat(next.record().notes()).singleElement().asString().contains("could not be found out");
        assertThat(docker.isQuiet(sandbox)).isFalse();
        docker.forgetful = false;
        docker.freeze(sandbox);
        run("echo y");
        assertThat(docker.isQuiet(sandbox)).isTrue();
    }

    @Test
    void twenty_parallel_first_calls_make_one_machine() throws Exception {
        try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
            house.die();
            house = new House();
            var wide = new Commands(
                    house.sandboxes, house.machines, execs, house.watch, ExecLimits.DEFAULT, GATEWAY, time.world());
            List<Future<Accepted>> calls = new ArrayList<>();
            for (int i = 0; i < 20; i++)
                calls.add(pool.submit(
                        () -> wide.start(MAIN, Alias.DEFAULT, request(Map.of("command", "echo x")), "admin", "")));
            for (var call : calls)
                assertThat(((Accepted.Running) call.get()).exec().awaitEnd().outcome())
                        .isPresent();
        }
        assertThat(docker.created).hasValue(1);
    }

    @Test
    void a_machine_that_vanished_is_made_anew_in_the_same_call_and_the_answer_says_so() throws Exception {
        run("echo one");
        docker.lose(last().sandboxId().value());
        var view = run("echo two");
        assertThat(text(view.stdout())).isEqualTo("two\n");
        assertThat(view.record().notes()).containsExactly("the sandbox had to be created anew");
        assertThat(view.record().generation()).isEqualTo(2);
        assertThat(run("echo three").record().notes()).isEmpty();
    }

    @Test
    void an_engine_that_is_down_is_a_503_and_changes_nothing() throws Exception {
        docker.down = true;
        assertThatThrownBy(() -> start(Map.of("command", "echo"))).isInstanceOf(BackendUnavailable.class);
        assertThat(house.sandboxes.get(MAIN, Alias.DEFAULT).status().word()).isEqualTo("pending");
        docker.down = false;
        assertThat(text(run("echo back").stdout())).isEqualTo("back\n");
    }

    @Test
    void no_sandbox_and_no_such_sandbox_are_told_apart() throws Exception {
        assertThatThrownBy(() ->
                        house.commands.start(MAIN, new Alias("other"), request(Map.of("command", "x")), "admin", ""))
                .isInstanceOf(NotFound.class);
        house.sandboxes.delete(MAIN, Alias.DEFAULT);
        var thrown = catchThrowableOfType(Conflict.class, () -> start(Map.of("command", "echo")));
        assertThat(thrown.code()).isEqualTo(ProblemCode.NO_SANDBOX);
    }

    @Test
    void a_running_command_keeps_the_sandbox_from_being_stopped_but_not_by_force() throws Exception {
        var live = start(Map.of("command", "hang"));
        var thrown = catchThrowableOfType(Conflict.class, () -> house.sandboxes.stop(MAIN, Alias.DEFAULT, false));
        assertThat(thrown.code()).isEqualTo(ProblemCode.BUSY);
        house.sandboxes.stop(MAIN, Alias.DEFAULT, true);
        assertThat(live.awaitEnd().outcome().orElseThrow().reason()).isEqualTo(EndReason.CANCELLED);
        assertThat(docker.state(live.record().sandboxId().value())).contains(LiveState.State.STOPPED);
    }

    @Test
    void deleting_the_sandbox_cancels_what_runs_and_takes_effect_at_once() throws Exception {
        var live = start(Map.of("command", "hang"));
        house.sandboxes.delete(MAIN, Alias.DEFAULT);
        assertThat(live.awaitEnd().outcome().orElseThrow().reason()).isEqualTo(EndReason.CANCELLED);
        assertThatThrownBy(() -> start(Map.of("command", "echo"))).isInstanceOf(Conflict.class);
        assertThat(docker.destroyed).hasValue(1);
        assertThat(stores.leftBehind(BackendType.DOCKER)).isEmpty();
    }

    @Test
    void a_command_that_comes_while_the_sandbox_is_brought_up_waits_for_it() throws Exception {
        docker.gate = new CountDownLatch(1);
        try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
            var first = pool.submit(() -> run("echo 1"));
            var second = pool.submit(() -> run("echo 2"));
            docker.gate.countDown();
            assertThat(text(first.get().stdout())).isEqualTo("1\n");
            assertThat(text(second.get().stdout())).isEqualTo("2\n");
        }
        assertThat(docker.created).hasValue(1);
    }

    @Test
    void the_same_key_means_the_same_command() throws Exception {
        Map<String, Object> body = Map.of("command", "echo once", "idempotency_key", "k1");
        var first =
                ((Accepted.Running) house.commands.start(MAIN, Alias.DEFAULT, request(body), "admin", "digest")).exec();
        first.awaitEnd();
        var again = house.commands.start(MAIN, Alias.DEFAULT, request(body), "admin", "digest");
        assertThat(house.commands
                        .answer(((Accepted.Known) again).record())
                        .record()
                        .id())
                .isEqualTo(first.id());
        assertThatThrownBy(() -> house.commands.start(MAIN, Alias.DEFAULT, request(body), "admin", "another digest"))
                .isInstanceOf(Conflict.class);
        assertThat(docker.started).hasSize(1);
    }

    @Test
    void more_commands_than_allowed_are_refused() throws Exception {
        for (int i = 0; i < 3; i++) start(Map.of("command", "hang"));
        assertThatThrownBy(() -> start(Map.of("command", "echo"))).isInstanceOf(RateLimited.class);
    }

    @Test
    void a_command_of_another_sandbox_is_not_found() throws Exception {
        var id = run("echo").record().id().toString();
        house.sandboxes.add(MAIN, new Alias("other"), BackendConfig.of(BackendType.DOCKER, Map.of(), ""));
        assertThatThrownBy(() -> house.commands.view(MAIN, new Alias("other"), id, 0, 0, Duration.ZERO))
                .isInstanceOf(NotFound.class);
        for (String bad : List.of("", "x", "1-1-1-1-1", UUID.randomUUID().toString()))
            assertThatThrownBy(() -> house.commands.view(MAIN, Alias.DEFAULT, bad, 0, 0, Duration.ZERO))
                    .isInstanceOf(NotFound.class);
    }

    @Test
    void after_a_restart_a_running_command_is_found_again_and_not_run_twice() throws Exception {
        var before = start(Map.of("command", "hang", "background", true));
        house.die();
        house = new House();
        house.recovery.run();
        var after = house.watch.find(before.id()).orElseThrow();
        docker.finish(before.record().sandboxId().value(), before.id(), new Exit.Exited(4));
        var record = after.awaitEnd();
        assertThat(record.outcome().orElseThrow().exitCode()).contains(4);
        assertThat(docker.started).hasSize(1);
    }

    @Test
    void after_a_restart_an_outcome_that_nobody_knows_is_not_guessed() throws Exception {
        var before = start(Map.of("command", "hang"));
        house.die();
        docker.lose(before.record().sandboxId().value());
        house = new House();
        house.recovery.run();
        var outcome = last().outcome().orElseThrow();
        assertThat(outcome.reason()).isEqualTo(EndReason.GATEWAY_RESTARTED);
        assertThat(outcome.exitCode()).isEmpty();
        assertThat(docker.started).hasSize(1);
    }

    @Test
    void a_command_that_runs_on_is_noted_as_running_a_moment_later() throws Exception {
        var running = start(Map.of("command", "hang"));
        time.awaitPausing(1);
        assertThat(last().state()).isEqualTo("starting");
        var listed = house.commands.list(MAIN, Alias.DEFAULT, ExecFilter.ALL, PageRequest.first(1));
        assertThat(listed.items().getFirst().state()).isEqualTo("running");
        time.advance(Duration.ofMillis(50));
        execs.awaitStarted(running.id());
        assertThat(last().startedAt()).isEqualTo(running.record().startedAt());
    }

    @Test
    void after_a_restart_a_start_that_was_not_noted_is_not_taken_for_one_that_did_not_happen() throws Exception {
        var before = start(Map.of("command", "hang"));
        house.die();
        docker.forget(before.record().sandboxId().value(), before.id());
        house = new House();
        house.recovery.run();
        var outcome = last().outcome().orElseThrow();
        assertThat(outcome.reason()).isEqualTo(EndReason.GATEWAY_RESTARTED);
        assertThat(outcome.failure().orElseThrow().detail()).contains("whether it began is not known");
    }

    @Test
    void a_wish_to_cancel_waits_until_the_command_has_been_found_again() throws Exception {
        String id = start(Map.of("command", "hang", "background", true)).id().toString();
        house.die();
        house = new House();
        assertThat(house.commands.cancel(MAIN, Alias.DEFAULT, id).outcome()).isEmpty();
        house.commands.endCancelled();
        house.die(); // before anything could be done about it
        house = new House();
        house.recovery.run();
        house.commands.endCancelled();
        var view = house.commands.view(MAIN, Alias.DEFAULT, id, 0, 0, Duration.ofMinutes(1));
        assertThat(outcome(view).reason()).isEqualTo(EndReason.CANCELLED);
    }

    @Test
    void what_is_asked_of_a_command_that_was_not_found_again_yet_is_refused_and_not_forgotten() throws Exception {
        String id = start(Map.of("command", "hang", "background", true)).id().toString();
        house.die();
        house = new House();
        assertThatThrownBy(() -> house.commands.signal(MAIN, Alias.DEFAULT, id, 15))
                .isInstanceOf(Conflict.class)
                .hasMessageContaining("try again");
        house.recovery.run();
        house.commands.cancel(MAIN, Alias.DEFAULT, id);
        var view = house.commands.view(MAIN, Alias.DEFAULT, id, 0, 0, Duration.ofMinutes(1));
        assertThat(outcome(view).reason()).isEqualTo(EndReason.CANCELLED);
    }

    @Test
    void while_the_engine_is_away_nothing_is_concluded() throws Exception {
        var before = start(Map.of("command", "hang"));
        house.die();
        house = new House();
        docker.down = true;
        house.recovery.run();
        assertThat(last().outcome()).isEmpty();
        docker.down = false;
        house.recovery.run();
        assertThat(house.watch.find(before.id())).isPresent();
    }

    private ExecView run(String script) throws Exception {
        var live = start(Map.of("command", script));
        live.awaitEnd();
        return house.commands.answer(live);
    }

    private LiveExec start(Map<String, Object> body) throws InterruptedException {
        return ((Accepted.Running) house.commands.start(MAIN, Alias.DEFAULT, request(body), "admin", "")).exec();
    }

    private ExecRequest request(Map<String, Object> body) {
        return ExecRequest.read(new HashMap<>(body), house.commands.limits(), false);
    }

    private ExecRecord last() {
        var sandbox = stores.list(hermit.sandbox.SandboxFilter.ALL, PageRequest.first(1))
                .items()
                .getFirst();
        return execs.list(sandbox.id(), ExecFilter.ALL, PageRequest.first(1))
                .items()
                .getFirst();
    }

    private static Outcome outcome(ExecView view) {
        return view.record().outcome().orElseThrow();
    }

    private static String text(ExecView.Slice slice) {
        return new String(slice.bytes(), StandardCharsets.UTF_8);
    }
}
