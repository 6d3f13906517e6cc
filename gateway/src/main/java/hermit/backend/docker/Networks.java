package hermit.backend.docker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.model.Network;
import hermit.exec.DockerConfig;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.ProblemCode;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/// The bridges that sandboxes of this gateway are on: one with a way out and one without. On neither can one sandbox
/// reach
/// another. They are made when first needed, and found again by label.
///
/// The engine takes two networks of one name, and then refuses the name as ambiguous. So they are used by id, and where
/// two gateways of one instance (one of them about to die) made one each, both take the older.
final class Networks {
    /// The bridge driver's switch for traffic between its containers.
    static final String BETWEEN_CONTAINERS = "com.docker.network.bridge.enable_icc";

    private final Engine engine;
    private final DockerSettings settings;
    private final ReentrantLock making = new ReentrantLock();

    Networks(Engine engine, DockerSettings settings) {
        this.engine = engine;
        this.settings = settings;
    }

    /// What to put into a container's network mode. Asks the engine each time: a network may have been removed.
    String provide(DockerConfig.Network kind) throws InterruptedException {
        if (kind == DockerConfig.Network.NONE) return "none";
        var labels = Map.of(Labels.INSTANCE, settings.instanceId().toString(), Labels.NETWORK, kind.toString());
        making.lockInterruptibly();
        try {
            var found = oldest(engine.look("list networks", client -> list(client, labels)), kind);
            return found.isPresent() ? found.get() : make(kind, labels);
        } finally {
            making.unlock();
        }
    }

    String name(DockerConfig.Network kind) {
        String name = "hermit-" + settings.shortInstance();
        return kind == DockerConfig.Network.INTERNAL ? name + "-internal" : name;
    }

    private String make(DockerConfig.Network kind, Map<String, String> labels) {
        String name = name(kind);
        return engine.change("create network " + name, client -> {
            Optional<String> mine = create(client, kind, labels);
            String first = oldest(list(client, labels), kind)
                    .orElseThrow(() -> new Conflict(
                            ProblemCode.NAME_TAKEN,
                            "a network named %s exists and is not this gateway's: remove or rename it"
                                    .formatted(name)));
            if (mine.isPresent() && !mine.get().equals(first)) removeUnused(client, mine.get());
            return first;
        });
    }

    private Optional<String> create(DockerClient client, DockerConfig.Network kind, Map<String, String> labels) {
        try {
            return Optional.of(client.createNetworkCmd()
                    .withName(name(kind))
                    .withDriver("bridge")
                    .withCheckDuplicate(true)
                    .withInternal(kind == DockerConfig.Network.INTERNAL)
                    .withOptions(Map.of(BETWEEN_CONTAINERS, "false"))
                    .withLabels(labels)
                    .exec()
                    .getId());
        } catch (ConflictException _) {
            return Optional.empty(); // somebody was faster, or the name is another's: the caller looks
        }
    }

    /// The other creator may use it already; then it stays, which harms nobody.
    private static void removeUnused(DockerClient client, String id) {
        try {
            client.removeNetworkCmd(id).exec();
        } catch (DockerException e) {
            if (e.getHttpStatus() != 403 && e.getHttpStatus() != 404 && e.getHttpStatus() != 409) throw e;
        }
    }

    private static List<Network> list(DockerClient client, Map<String, String> labels) {
        return client.listNetworksCmd()
                .withFilter(
                        "label",
                        labels.entrySet().stream()
                                .map(each -> each.getKey() + "=" + each.getValue())
                                .toList())
                .exec();
    }

    /// Labels can be put on anything: what does not separate its containers is not used.
    private static Optional<String> oldest(List<Network> found, DockerConfig.Network kind) {
        return found.stream()
                .filter(each -> "bridge".equals(each.getDriver()))
                .filter(each -> "false".equals(each.getOptions().get(BETWEEN_CONTAINERS)))
                .filter(each -> Boolean.TRUE.equals(each.getInternal()) == (kind == DockerConfig.Network.INTERNAL))
                .min(Comparator.comparing(Network::getCreated).thenComparing(Network::getId))
                .map(Network::getId);
    }
}
