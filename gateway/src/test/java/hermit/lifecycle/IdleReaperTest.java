package hermit.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.agent.AgentId;
import hermit.agent.Agents;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.FakeProvider;
import hermit.exec.LifecycleSettings;
import hermit.sandbox.Alias;
import hermit.sandbox.Backends;
import hermit.sandbox.EffectiveLifecycle;
import hermit.sandbox.EffectiveLifecycle.Origin;
import hermit.sandbox.Machines;
import hermit.sandbox.MemoryStores;
import hermit.sandbox.Preset;
import hermit.sandbox.Presets;
import hermit.sandbox.Provisioning;
import hermit.sandbox.Sandboxes;
import hermit.world.TestWorld;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class IdleReaperTest {
    private static final AgentId MAIN = new AgentId("main");

    private final TestWorld time = new TestWorld();
    private final MemoryStores stores = new MemoryStores();
    private final FakeProvider docker = new FakeProvider(BackendType.DOCKER);
    private final Backends backends = new Backends(List.of(docker));
    private final Agents agents = new Agents(stores, time.world());
    private Machines machines = machines();
    private boolean sessionOpen;
    private Sandboxes sandboxes = sandboxes();

    @BeforeEach
    void an_agent_whose_sandbox_runs() throws Exception {
        var presets = new Presets(
                List.of(new Preset("dev", BackendConfig.of(BackendType.DOCKER, Map.of(), ""))), Optional.of("dev"));
        new Provisioning(agents, stores, sandboxes, backends, presets, time.world())
                .create(Map.of("id", "main"), Optional.empty());
        sandboxes.start(MAIN, Alias.DEFAULT);
    }

    @Test
    void a_sandbox_that_nobody_used_for_five_minutes_is_shut_down() throws Exception {
        time.advance(Duration.ofMinutes(5).minusSeconds(1));
        sweep();
        assertThat(docker.shutdowns).hasValue(0);
        time.advance(Duration.ofSeconds(1));
        sweep();
        assertThat(docker.shutdowns).hasValue(1);
        sweep();
        assertThat(docker.shutdowns).hasValue(1);
    }

    @Test
    void a_sandbox_in_use_is_never_shut_down_and_its_clock_starts_at_the_end() throws Exception {
        var use = machines.use(sandboxes.get(MAIN, Alias.DEFAULT), () -> {});
        time.advance(Duration.ofHours(3));
        sweep();
        assertThat(docker.shutdowns).hasValue(0);
        use.close();
        time.advance(Duration.ofMinutes(4));
        sweep();
        assertThat(docker.shutdowns).hasValue(0);
        time.advance(Duration.ofMinutes(1));
        sweep();
        assertThat(docker.shutdowns).hasValue(1);
    }

    @Test
    void the_idle_clock_goes_on_after_a_restart_of_the_gateway() throws Exception {
        time.advance(Duration.ofMinutes(4));
        machines.close();
        machines = machines();
        sandboxes = sandboxes();
        sweep();
        assertThat(docker.shutdowns).hasValue(0);
        time.advance(Duration.ofMinutes(1));
        sweep();
        assertThat(docker.shutdowns).hasValue(1);
    }

    @Test
    void the_sandboxs_own_block_goes_before_the_agents_and_that_before_the_default() throws Exception {
        agents.updateConfig(
                MAIN,
                OptionalLong.empty(),
                Map.of("exec", Map.of("lifecycle", Map.of("start", "session", "idle_timeout_minutes", 9))));
        sandboxes.updateConfig(MAIN, Alias.DEFAULT, Map.of("lifecycle", Map.of("idle_timeout_minutes", 2)));
        EffectiveLifecycle lifecycle = sandboxes.view(MAIN, Alias.DEFAULT).lifecycle();
        assertThat(lifecycle.start())
                .isEqualTo(new EffectiveLifecycle.Setting<>(LifecycleSettings.Start.SESSION, Origin.AGENT));
        assertThat(lifecycle.stop())
                .isEqualTo(new EffectiveLifecycle.Setting<>(LifecycleSettings.Stop.IDLE, Origin.DEFAULT));
        assertThat(lifecycle.idleTimeoutMinutes()).isEqualTo(new EffectiveLifecycle.Setting<>(2, Origin.SANDBOX));
        time.advance(Duration.ofMinutes(2));
        sweep();
        assertThat(docker.shutdowns).hasValue(1);
    }

    @Test
    void a_sandbox_that_stops_with_its_session_is_not_shut_down_for_idleness() throws Exception {
        sandboxes.updateConfig(MAIN, Alias.DEFAULT, Map.of("lifecycle", Map.of("stop", "session")));
        sessionOpen = true;
        time.advance(Duration.ofDays(1));
        sweep();
        assertThat(docker.shutdowns).hasValue(0);
    }

    @Test
    void without_a_session_it_comes_to_rest_by_the_idle_timeout_all_the_same() throws Exception {
        sandboxes.updateConfig(MAIN, Alias.DEFAULT, Map.of("lifecycle", Map.of("stop", "session")));
        time.advance(Duration.ofMinutes(5).minusSeconds(1));
        sweep();
        assertThat(docker.shutdowns).hasValue(0);
        time.advance(Duration.ofSeconds(1));
        sweep();
        assertThat(docker.shutdowns).hasValue(1);
    }

    @Test
    void a_removal_that_failed_is_finished_later() throws Exception {
        docker.down = true;
        sandboxes.delete(MAIN, Alias.DEFAULT);
        assertThat(stores.leftBehind(BackendType.DOCKER)).hasSize(1);
        sweep();
        docker.down = false;
        sweep();
        assertThat(stores.leftBehind(BackendType.DOCKER)).isEmpty();
        assertThat(docker.destroyed).hasValue(1);
    }

    private void sweep() throws InterruptedException {
        new IdleReaper(stores, stores, sandboxes, machines, backends, _ -> sessionOpen, time.world()).sweep();
    }

    private Machines machines() {
        return new Machines(stores, backends, stores, new UUID(1, 1), time.world());
    }

    private Sandboxes sandboxes() {
        return new Sandboxes(agents, stores, backends, machines, time.world());
    }
}
