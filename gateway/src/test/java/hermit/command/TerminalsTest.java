package hermit.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.agent.AgentId;
import hermit.agent.Agents;
import hermit.command.LiveTerminal.Event;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.Capability;
import hermit.exec.FakeProvider;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.Forbidden;
import hermit.problem.GatewayException.Unsupported;
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
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class TerminalsTest {
    private static final AgentId MAIN = new AgentId("main");
    private static final Alias DEFAULT = new Alias("default");
    private static final UUID GATEWAY = new UUID(1, 1);
    private static final Duration LONG = Duration.ofMinutes(1);

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
        final Commands commands =
                new Commands(sandboxes, machines, execs, watch, ExecLimits.DEFAULT, GATEWAY, time.world());
        final Terminals terminals = new Terminals(sandboxes, commands, watch, time.world());
        final Recovery recovery = new Recovery(execs, stores, machines, watch, GATEWAY, time.world());

        void die() {
            watch.close();
            machines.close();
        }
    }

    @BeforeEach
    void an_agent_with_a_docker_sandbox() {
        var presets = new Presets(
                List.of(new Preset("dev", BackendConfig.of(BackendType.DOCKER, Map.of(), ""))), Optional.of("dev"));
        new Provisioning(agents, stores, house.sandboxes, backends, presets, time.world()).create(Map.of("id", "main"));
    }

    @AfterEach
    void stop() {
        house.die();
    }

    @Test
    void a_terminal_at_which_nobody_looks_for_a_quarter_of_an_hour_is_ended() throws Exception {
        var terminal = open();
        time.advance(Terminals.UNWATCHED.minusSeconds(1));
        house.terminals.sweep();
        assertThat(house.terminals.list(MAIN, DEFAULT)).hasSize(1);
        time.advance(Duration.ofSeconds(1));
        house.terminals.sweep();
        assertThat(ended(terminal).reason()).isEqualTo(EndReason.CANCELLED);
    }

    @Test
    void looking_at_it_keeps_it_and_the_time_begins_when_the_last_one_looks_away() throws Exception {
        var terminal = open();
        try (var _ = look(terminal)) {
            time.advance(Terminals.UNWATCHED.multipliedBy(3));
            house.terminals.sweep();
        }
        time.advance(Terminals.UNWATCHED.minusSeconds(1));
        house.terminals.sweep();
        assertThat(house.terminals.list(MAIN, DEFAULT)).hasSize(1);
        time.advance(Duration.ofSeconds(1));
        house.terminals.sweep();
        ended(terminal);
        assertThat(house.terminals.list(MAIN, DEFAULT)).isEmpty();
    }

    @Test
    void a_terminal_keeps_its_sandbox_busy() throws Exception {
        open();
        assertThat(house.machines.isBusy(house.sandboxes.get(MAIN, DEFAULT).id()))
                .isTrue();
        assertThatThrownBy(() -> house.sandboxes.stop(MAIN, DEFAULT, false)).isInstanceOf(Conflict.class);
    }

    @Test
    void it_is_there_again_after_a_restart_of_the_gateway() throws Exception {
        var terminal = open();
        house.die();
        house = new House();
        house.recovery.run();
        try (var viewer = look(terminal)) {
            assertThat(viewer.next(LONG)).isEqualTo(new Event.Control(true));
            viewer.type("exit 3\n".getBytes(StandardCharsets.UTF_8));
        }
        assertThat(ended(terminal).exitCode()).contains(3);
    }

    @Test
    void a_viewer_that_does_not_keep_up_goes_on_near_the_end_and_is_told_what_it_missed() throws Exception {
        var terminal = open();
        try (var controller = look(terminal);
                var slow = look(terminal)) {
            drain(slow);
            // Whoever controls is waited for; this one reads along, so that the other falls behind.
            int piece = 64 << 10;
            int pieces = 2 * OutputBuffer.RING / piece;
            for (int i = 0; i < pieces; i++) {
                docker.print(sandbox(), terminal.record().id(), new byte[piece]);
                drain(controller);
            }
            long total = (long) pieces * piece;
            long from = total - LiveTerminal.REPLAY;
            assertThat(slow.next(LONG)).isEqualTo(new Event.Replay(from, LiveTerminal.REPLAY, from));
            assertThat(slow.next(LONG))
                    .isInstanceOfSatisfying(
                            Event.Output.class,
                            output -> assertThat(output.bytes()).hasSize(LiveTerminal.REPLAY));
            assertThat(slow.next(Duration.ZERO)).isEqualTo(new Event.Nothing());
        }
    }

    @Test
    void keys_of_one_that_does_not_control_are_refused() throws Exception {
        var terminal = open();
        try (var _ = look(terminal);
                var other = look(terminal)) {
            assertThatThrownBy(() -> other.type(new byte[] {3})).isInstanceOf(Forbidden.class);
            other.takeOver();
            other.type(new byte[] {3});
        }
    }

    @Test
    void a_backend_without_terminals_says_so_before_anything_is_started() {
        docker.capabilities = EnumSet.complementOf(EnumSet.of(Capability.TERMINAL));
        assertThatThrownBy(this::open).isInstanceOf(Unsupported.class).hasMessageContaining("terminal");
        assertThat(docker.started).isEmpty();
        assertThat(docker.created).hasValue(0);
    }

    @Test
    void what_is_shown_at_a_terminal_is_not_kept_as_output() throws Exception {
        var terminal = open();
        try (var viewer = look(terminal)) {
            viewer.type("secret\n".getBytes(StandardCharsets.UTF_8));
            viewer.type("exit 0\n".getBytes(StandardCharsets.UTF_8));
        }
        ended(terminal);
        var view = house.commands.view(MAIN, DEFAULT, terminal.record().id().toString(), 0, 0, Duration.ZERO);
        assertThat(view.stdout().bytes()).isEmpty();
        assertThat(view.record().stdoutBytes()).isEqualTo(14);
    }

    private Terminals.View open() throws InterruptedException {
        return house.terminals.open(MAIN, DEFAULT, TerminalRequest.read(Map.of()), "admin");
    }

    private LiveTerminal.Viewer look(Terminals.View terminal) throws InterruptedException {
        return house.terminals.attach(MAIN, DEFAULT, terminal.record().id().toString(), false);
    }

    private static void drain(LiveTerminal.Viewer viewer) throws InterruptedException {
        Event next = viewer.next(Duration.ZERO);
        while (!(next instanceof Event.Nothing)) next = viewer.next(Duration.ZERO);
    }

    private UUID sandbox() {
        return house.sandboxes.get(MAIN, DEFAULT).id().value();
    }

    private Outcome ended(Terminals.View terminal) throws InterruptedException {
        String id = terminal.record().id().toString();
        return house.commands
                .view(MAIN, DEFAULT, id, 0, 0, LONG)
                .record()
                .outcome()
                .orElseThrow();
    }
}
