package hermit.backend.docker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Event;
import com.github.dockerjava.core.DefaultDockerClientConfig;
import com.github.dockerjava.core.DockerClientImpl;
import com.github.dockerjava.zerodep.ZerodepDockerHttpClient;
import hermit.backend.keeper.KeeperProgram;
import hermit.backend.keeper.KeeperPrograms;
import hermit.backend.keeper.SystemScheduler;
import hermit.backend.keeper.TestKeeper;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.DockerConfig;
import hermit.exec.ExecBackend;
import hermit.exec.Machine;
import hermit.exec.MachineSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

/// A gateway instance of its own on the real engine of this machine, and the engine's own client for
/// what a person would do by hand. Everything that carries the instance's label is removed at the end.
final class TestDocker implements AutoCloseable {
    /// Another engine, such as a rootless one, can be named; the tests then want to run as a user who may use it.
    static final URI ENDPOINT = URI.create(named("HERMIT_TEST_DOCKER", "unix:///var/run/docker.sock"));

    final UUID instance = UUID.randomUUID();
    final Path scratch;
    final Path root;
    final MovedClock clock = new MovedClock(Clock.systemUTC());
    final SystemScheduler scheduler = new SystemScheduler(clock);
    final DockerClient hand;
    final DockerProvider provider;

    TestDocker() {
        this(DockerSettings.PullPolicy.NEVER);
    }

    TestDocker(DockerSettings.PullPolicy policy) {
        try {
            scratch = Files.createTempDirectory("hermit-docker-test");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        root = scratch.resolve("workspaces");
        hand = client();
        provider = new DockerProvider(settings(instance, policy), scheduler, new SecureRandom());
    }

    DockerSettings settings(UUID instance, DockerSettings.PullPolicy policy) {
        return settings(instance, policy, TestKeeper.PROGRAMS);
    }

    DockerSettings settings(UUID instance, DockerSettings.PullPolicy policy, KeeperPrograms keeper) {
        return new DockerSettings(
                instance,
                ENDPOINT,
                Optional.empty(),
                Optional.empty(),
                policy,
                DockerConfig.Network.NONE,
                Optional.empty(),
                root,
                keeper,
                DockerSettings.DEFAULT_ORPHAN_GRACE);
    }

    /// The same at another address.
    static DockerSettings at(URI endpoint, DockerSettings settings) {
        return new DockerSettings(
                settings.instanceId(),
                endpoint,
                settings.tlsDirectory(),
                settings.registryLogins(),
                settings.pullPolicy(),
                settings.network(),
                settings.runtime(),
                settings.workspaceRoot(),
                settings.keeper(),
                settings.orphanGrace());
    }

    private static DockerClient client() {
        var config = new DefaultDockerClientConfig.Builder()
                .withDockerHost(ENDPOINT.toString())
                .withApiVersion("1.41")
                .build();
        var client = DockerClientImpl.getInstance(
                config,
                new ZerodepDockerHttpClient.Builder().dockerHost(ENDPOINT).build());
        try {
            client.pingCmd().exec();
        } catch (RuntimeException e) {
            throw new AssertionError("These tests need a Docker engine at " + ENDPOINT, e);
        }
        return client;
    }

    static String image() {
        return named("HERMIT_TEST_IMAGE", "hermit-base:bookworm");
    }

    private static String named(String variable, String otherwise) {
        String named = System.getProperty(variable, System.getenv(variable));
        return named == null ? otherwise : named;
    }

    static DockerConfig config(Map<String, Object> fields) {
        var given = new HashMap<String, Object>(Map.of("image", image(), "memory_limit", "256m"));
        given.putAll(fields);
        return (DockerConfig) BackendConfig.of(BackendType.DOCKER, given, "config");
    }

    static MachineSpec row(DockerConfig config) {
        return row(UUID.randomUUID(), config);
    }

    static MachineSpec row(UUID agent, DockerConfig config) {
        return new MachineSpec(UUID.randomUUID(), agent, "main", "default", config, 0, Optional.empty());
    }

    /// The same row, as it is stored after an ensure.
    static MachineSpec after(MachineSpec spec, Machine machine) {
        return after(spec, machine, spec.config());
    }

    static MachineSpec after(MachineSpec spec, Machine machine, BackendConfig config) {
        return new MachineSpec(
                spec.sandboxId(),
                spec.agentUid(),
                spec.agentId(),
                spec.alias(),
                config,
                machine.generation(),
                Optional.of(machine.externalId()));
    }

    ExecBackend open(MachineSpec spec) {
        return provider.open(spec);
    }

    List<String> containers() {
        return hand
                .listContainersCmd()
                .withShowAll(true)
                .withLabelFilter(Map.of(Labels.INSTANCE, instance.toString()))
                .exec()
                .stream()
                .map(each -> each.getNames()[0].substring(1))
                .toList();
    }

    String networkName() {
        return "hermit-" + instance.toString().substring(0, 8);
    }

    void removeImage(String image) {
        hand.listContainersCmd()
                .withShowAll(true)
                .withAncestorFilter(List.of(image))
                .exec()
                .forEach(each ->
                        hand.removeContainerCmd(each.getId()).withForce(true).exec());
        hand.removeImageCmd(image).withForce(true).exec();
    }

    /// Removes what brings another keeper than the real one into sandboxes.
    void removeKeeper(byte[] program) {
        String digest = KeeperProgram.digest(program).substring(0, 16);
        remove(() -> hand.removeVolumeCmd("hermit-keeper-" + digest).exec());
        remove(() ->
                hand.removeImageCmd("hermit-keeper:" + digest).withForce(true).exec());
    }

    private static void remove(Runnable removal) {
        try {
            removal.run();
        } catch (NotFoundException _) {
            // Somebody else on this engine took it for an old one.
        }
    }

    /// Runs something as soon as a sandbox's container has been created.
    AutoCloseable whenCreated(Runnable then) throws InterruptedException {
        var started = new CountDownLatch(1);
        var following = new Following<Event>(started::countDown, event -> {
            var attributes = Objects.requireNonNull(event.getActor()).getAttributes();
            if (Objects.requireNonNull(attributes).containsKey(Labels.SANDBOX)) then.run();
        });
        // The engine answers a moment before it has subscribed us, and asked for the past it tells it all.
        hand.eventsCmd()
                .withSince(Long.toString(Instant.now().getEpochSecond() - 1))
                .withEventFilter("create")
                .withLabelFilter(Labels.INSTANCE + "=" + instance)
                .exec(following);
        started.await();
        return following;
    }

    void removeContainers() {
        for (String each : containers())
            hand.removeContainerCmd(each)
                    .withForce(true)
                    .withRemoveVolumes(true)
                    .exec();
    }

    @Override
    public void close() throws IOException {
        provider.close();
        scheduler.close();
        removeContainers();
        var label = List.of(Labels.INSTANCE + "=" + instance);
        for (var each : hand.listNetworksCmd().withFilter("label", label).exec())
            hand.removeNetworkCmd(each.getId()).exec();
        for (var each : hand.listVolumesCmd().withFilter("label", label).exec().getVolumes())
            hand.removeVolumeCmd(each.getName()).exec();
        hand.close();
        Trees.remove(scratch);
    }
}
