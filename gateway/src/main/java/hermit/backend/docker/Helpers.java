package hermit.backend.docker;

import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.LogConfig;
import com.github.dockerjava.api.model.Mount;
import hermit.backend.keeper.KeeperProgram;
import hermit.problem.GatewayException.ProviderError;
import hermit.problem.GatewayException.Unsupported;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

/// Short-lived containers for what only the engine can do: reach into a volume, set an owner, remove
/// another user's files. Their image holds nothing but the keeper, so that no sandbox's image is needed
/// or trusted; most are never started.
final class Helpers {
    private static final String FILE = "keeper";
    /// The keeper in a helper.
    static final String PROGRAM = "/" + FILE;
    /// To remove a large workspace.
    private static final Duration RUN = Duration.ofMinutes(10);

    private final Containers containers;
    private final Images images;
    private final DockerSettings settings;
    private final ReentrantLock loading = new ReentrantLock();

    Helpers(Containers containers, Images images, DockerSettings settings) {
        this.containers = containers;
        this.images = images;
        this.settings = settings;
    }

    @FunctionalInterface
    interface Work<T> {
        T on(String container) throws InterruptedException;
    }

    /// Makes a container with these mounts, works on it without starting it, and removes it.
    <T> T with(KeeperProgram keeper, String purpose, List<Mount> mounts, Work<T> work) throws InterruptedException {
        return with(keeper, purpose, mounts, List.of("version"), work);
    }

    /// Runs the keeper as root with these arguments in a container with these mounts. Throws
    /// [ProviderError] with what it printed if it fails.
    void run(KeeperProgram keeper, String purpose, List<Mount> mounts, List<String> arguments)
            throws InterruptedException {
        with(keeper, purpose, mounts, arguments, container -> {
            run(container, purpose);
            return true;
        });
    }

    /// Runs the keeper in a container that was made for it.
    void run(String container, String purpose) throws InterruptedException {
        containers.start(container, purpose);
        int code = containers.awaitEnd(container, RUN);
        if (code != 0)
            throw new ProviderError(
                    "%s: the keeper ended with %d: %s".formatted(purpose, code, containers.lastLines(container)));
    }

    /// Makes a container that would run the keeper as root with these arguments, works on it, and removes it.
    <T> T with(KeeperProgram keeper, String purpose, List<Mount> mounts, List<String> arguments, Work<T> work)
            throws InterruptedException {
        // The name is only there to be told from a sandbox in a listing; chance keeps two gateways apart.
        String name = "hermit-helper-" + UUID.randomUUID();
        var labels = Map.of(Labels.INSTANCE, settings.instanceId().toString(), Labels.HELPER, purpose);
        var host = HostConfig.newHostConfig()
                .withMounts(mounts)
                .withNetworkMode("none")
                .withCapDrop(Capability.ALL)
                .withCapAdd(Capability.DAC_OVERRIDE, Capability.FOWNER)
                .withSecurityOpts(List.of("no-new-privileges"))
                .withIpcMode("private")
                .withLogConfig(new LogConfig(LogConfig.LoggingType.JSON_FILE, Map.of("max-size", "64k")));
        var id = create(
                keeper,
                name,
                form -> form.withEntrypoint(PROGRAM)
                        .withCmd(arguments)
                        .withUser("0:0")
                        .withLabels(labels)
                        .withHostConfig(host));
        try {
            return work.on(id);
        } finally {
            containers.remove(id, name);
        }
    }

    private String create(KeeperProgram keeper, String name, UnaryOperator<CreateContainerCmd> form)
            throws InterruptedException {
        String image = image(keeper);
        Optional<String> id;
        try {
            id = containers.create(image, name, form);
        } catch (Unsupported e) {
            if (images.has(image)) throw e;
            // Another gateway, with another keeper, took the image for one that nobody needs any more.
            id = containers.create(image(keeper), name, form);
        }
        return id.orElseThrow(() -> new ProviderError("container name " + name + " is taken"));
    }

    private String image(KeeperProgram keeper) throws InterruptedException {
        String image = KeeperImage.name(keeper.shortDigest());
        loading.lockInterruptibly();
        try {
            if (!images.has(image)) images.load(image, KeeperImage.archive(image, FILE, keeper));
            return image;
        } finally {
            loading.unlock();
        }
    }
}
