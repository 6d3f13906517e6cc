package hermit.backend.docker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.model.Network;
import hermit.backend.keeper.Scheduler;
import hermit.exec.DockerConfig;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.ProblemCode;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/// The bridges that sandboxes of this gateway are on: one with a way out and one without. On neither
/// can one sandbox reach another. They are made when first needed, and found again by label.
///
/// The engine takes two networks of one name, and then refuses the name as ambiguous, but never two
/// bridges of one name. So the bridge has a name of ours, which keeps two gateways of one instance (one
/// of them about to die) from making one each, and networks are used by id.
final class Networks {
    /// The bridge driver's switch for traffic between its containers.
    static final String BETWEEN_CONTAINERS = "com.docker.network.bridge.enable_icc";

    private static final String BRIDGE_NAME = "com.docker.network.bridge.name";
    private static final int ATTEMPTS = 20;
    private static final Duration UNTIL_SHOWN = Duration.ofMillis(100);

    private final Engine engine;
    private final DockerSettings settings;
    private final Scheduler scheduler;
    private final ReentrantLock making = new ReentrantLock();

    Networks(Engine engine, DockerSettings settings, Scheduler scheduler) {
        this.engine = engine;
        this.settings = settings;
        this.scheduler = scheduler;
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

    /// An interface's name has at most 15 characters.
    private String bridge(DockerConfig.Network kind) {
        return "hm-%s-%s".formatted(settings.shortInstance(), kind == DockerConfig.Network.INTERNAL ? "i" : "o");
    }

    private String make(DockerConfig.Network kind, Map<String, String> labels) throws InterruptedException {
        String name = name(kind);
        String refusal = "";
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            var made = engine.change("create network " + name, client -> create(client, kind, labels));
            if (made.id().isPresent()) return made.id().get();
            var theirs = oldest(engine.look("list networks", client -> list(client, labels)), kind);
            if (theirs.isPresent()) return theirs.get();
            refusal = made.refusal();
            scheduler.pause(UNTIL_SHOWN); // one that is being made is refused a second time before it is listed
        }
        throw new Conflict(
                ProblemCode.NAME_TAKEN,
                "the engine refuses the network %s on the bridge %s (is there one of that name that is not this gateway's?): %s"
                        .formatted(name, bridge(kind), refusal));
    }

    /// `id` is empty if somebody was faster, a name is another's, or the engine refuses for another reason.
    private record Attempt(Optional<String> id, String refusal) {}

    private Attempt create(DockerClient client, DockerConfig.Network kind, Map<String, String> labels) {
        try {
            String id = client.createNetworkCmd()
                    .withName(name(kind))
                    .withDriver("bridge")
                    .withCheckDuplicate(true)
                    .withInternal(kind == DockerConfig.Network.INTERNAL)
                    .withOptions(Map.of(BETWEEN_CONTAINERS, "false", BRIDGE_NAME, bridge(kind)))
                    .withLabels(labels)
                    .exec()
                    .getId();
            return new Attempt(Optional.of(id), "");
        } catch (DockerException e) {
            if (e.getHttpStatus() == 403 || e.getHttpStatus() == 409)
                return new Attempt(Optional.empty(), EngineFailures.message(e));
            throw e;
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
