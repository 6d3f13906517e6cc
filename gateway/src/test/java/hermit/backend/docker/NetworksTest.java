package hermit.backend.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.exec.DockerConfig.Network;
import hermit.problem.GatewayException.Conflict;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class NetworksTest {
    private final TestDocker docker = new TestDocker();
    private final DockerSettings settings = docker.settings(docker.instance, DockerSettings.PullPolicy.NEVER);
    private final Engine engine = new Engine(settings);

    @AfterEach
    void remove_everything() throws Exception {
        engine.close();
        docker.close();
    }

    private List<com.github.dockerjava.api.model.Network> mine() {
        return docker.hand
                .listNetworksCmd()
                .withFilter("label", List.of(Labels.INSTANCE + "=" + docker.instance))
                .exec();
    }

    @Test
    void several_gateways_that_need_one_at_once_use_the_same() throws Exception {
        // Each has its own lock, as if it were another process.
        List<Callable<String>> creators = IntStream.range(0, 4)
                .<Callable<String>>mapToObj(
                        _ -> () -> new Networks(engine, settings, docker.scheduler).provide(Network.OPEN))
                .toList();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var ids = threads.invokeAll(creators).stream()
                    .map(each -> each.resultNow())
                    .toList();
            assertThat(ids).containsOnly(new Networks(engine, settings, docker.scheduler).provide(Network.OPEN));
        }
        assertThat(mine()).hasSize(1);
    }

    @Test
    void traffic_between_containers_and_IPv6_are_off() throws Exception {
        new Networks(engine, settings, docker.scheduler).provide(Network.OPEN);
        var network = mine().getFirst();
        assertThat(network.getName()).isEqualTo(docker.networkName());
        assertThat(network.getOptions()).containsEntry(Networks.BETWEEN_CONTAINERS, "false");
        assertThat(network.getInternal()).isFalse();
        assertThat(network.getEnableIPv6()).isFalse();
    }

    @Test
    void the_internal_one_has_no_way_out() throws Exception {
        var networks = new Networks(engine, settings, docker.scheduler);
        assertThat(networks.provide(Network.INTERNAL)).isNotEqualTo(networks.provide(Network.OPEN));
        assertThat(mine())
                .filteredOn(each -> each.getName().equals(docker.networkName() + "-internal"))
                .singleElement()
                .satisfies(each -> assertThat(each.getInternal()).isTrue());
        assertThat(networks.provide(Network.NONE)).isEqualTo("none");
    }

    @Test
    void what_a_dying_gateway_left_is_used() throws Exception {
        String left = new Networks(engine, settings, docker.scheduler).provide(Network.OPEN);
        assertThat(new Networks(engine, settings, docker.scheduler).provide(Network.OPEN))
                .isEqualTo(left);
    }

    @Test
    void one_with_our_name_that_is_not_ours_is_left_alone_and_named() throws Exception {
        String foreign = docker.hand
                .createNetworkCmd()
                .withName(docker.networkName())
                .exec()
                .getId();
        try {
            assertThatThrownBy(() -> new Networks(engine, settings, docker.scheduler).provide(Network.OPEN))
                    .isInstanceOf(Conflict.class)
                    .hasMessageContaining(docker.networkName())
                    .hasMessageContaining("already exists"); // in the engine's own words
        } finally {
            docker.hand.removeNetworkCmd(foreign).exec();
        }
    }

    @Test
    void one_that_lets_containers_talk_is_not_used_whatever_its_labels_say() throws Exception {
        docker.hand
                .createNetworkCmd()
                .withName(docker.networkName())
                .withLabels(Map.of(Labels.INSTANCE, docker.instance.toString(), Labels.NETWORK, "open"))
                .exec();
        assertThatThrownBy(() -> new Networks(engine, settings, docker.scheduler).provide(Network.OPEN))
                .isInstanceOf(Conflict.class);
    }
}
