package hermit.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.agent.AgentId;
import hermit.agent.Agents;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.FakeProvider;
import hermit.exec.MachineGone;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.world.TestWorld;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class MachinesTest {
    private final TestWorld time = new TestWorld();
    private final MemoryStores stores = new MemoryStores();
    private final FakeProvider docker = new FakeProvider(BackendType.DOCKER);
    private final Backends backends = new Backends(List.of(docker));
    private final Machines machines = new Machines(stores, backends, stores, new UUID(1, 1), time.world());
    private final AtomicInteger arrivals = new AtomicInteger();
    private Sandbox sandbox;

    @BeforeEach
    void a_sandbox() {
        var agents = new Agents(stores, time.world());
        var sandboxes = new Sandboxes(agents, stores, backends, machines, time.world());
        var presets = new Presets(
                List.of(new Preset("dev", BackendConfig.of(BackendType.DOCKER, Map.of(), ""))), Optional.of("dev"));
        new Provisioning(agents, stores, sandboxes, backends, presets, time.world())
                .create(Map.of("id", "main"), Optional.empty());
        sandbox = sandboxes.forUse(new AgentId("main"), Alias.DEFAULT);
    }

    @AfterEach
    void close() {
        machines.close();
    }

    @Test
    void an_arrival_may_use_the_machine_and_its_notes_are_told_to_whoever_brought_it_up() throws Exception {
        machines.onArrival(row -> {
            arrivals.incrementAndGet();
            try (var use = machines.use(row, () -> {})) {
                return List.of("seen: " + use.ensure().externalId());
            }
        });

        try (var use = machines.use(sandbox, () -> {})) {
            assertThat(use.ensure().notes()).containsExactly("seen: fake-default");
            assertThat(use.ensure().notes()).isEmpty();
        }
        assertThat(arrivals).hasValue(1);
    }

    @Test
    void a_machine_that_goes_away_whenever_its_arrival_uses_it_is_given_up() {
        machines.onArrival(row -> {
            arrivals.incrementAndGet();
            try (var use = machines.use(row, () -> {})) {
                return use.call((_, _) -> {
                    docker.lose(row.id().value());
                    throw new MachineGone("it has died again");
                });
            }
        });

        try (var use = machines.use(sandbox, () -> {})) {
            assertThatThrownBy(use::ensure)
                    .isInstanceOf(BackendUnavailable.class)
                    .hasMessageContaining("went away 3 times in a row");
        }
        assertThat(arrivals).hasValue(1);
    }
}
