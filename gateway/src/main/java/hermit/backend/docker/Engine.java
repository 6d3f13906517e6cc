package hermit.backend.docker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.core.DefaultDockerClientConfig;
import com.github.dockerjava.core.DockerClientImpl;
import com.github.dockerjava.transport.DockerHttpClient;
import com.github.dockerjava.zerodep.ZerodepDockerHttpClient;
import hermit.problem.GatewayException.BackendUnavailable;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The one caller of the Docker engine: owns its address, TLS, time limits, the version of the API, and what a failure
/// means. An engine that cannot be reached is always [BackendUnavailable], so that it is never taken for one that has
/// nothing.
///
/// Nothing is asked before the first call. The version is agreed on then, and again after the engine was away.
final class Engine implements AutoCloseable {
    /// For a request that only looks. A healthy engine takes milliseconds; one under heavy load has been seen to take 3
    /// s.
    static final Duration LOOK = Duration.ofSeconds(20);
    /// For a request that starts, stops or removes something: network set-up and the runtime included.
    static final Duration CHANGE = Duration.ofSeconds(90);

    private static final Duration CONNECT = Duration.ofSeconds(5);

    private final EngineFailures failures;
    private final EngineSocket socket;
    private final DefaultDockerClientConfig.Builder config;
    private final URI endpoint;
    private final ReentrantLock agreeing = new ReentrantLock();
    private volatile @Nullable Agreed agreed;
    /// Made at the first call, by whoever makes it: that takes long. Written under `agreeing`.
    private volatile @Nullable DockerHttpClient http;

    private static final class Agreed {
        private final DockerClient client;
        private final EngineVersion version;
        private volatile @Nullable EngineFacts facts;

        private Agreed(DockerClient client, EngineVersion version) {
            this.client = client;
            this.version = version;
        }

        /// Asked when first needed: it is the question that takes the engine longest.
        private EngineFacts facts() {
            var known = facts;
            if (known == null) {
                var info = client.infoCmd().exec();
                Integer cpus = info.getNCPU();
                var options = Objects.requireNonNullElse(info.getSecurityOptions(), List.<String>of());
                facts = known =
                        new EngineFacts(version, cpus == null ? 1 : Math.max(1, cpus), EngineFacts.mapsUsers(options));
            }
            return known;
        }
    }

    @FunctionalInterface
    interface EngineDial<T> {
        T on(EngineSocket socket, ApiVersion api) throws IOException;
    }

    @FunctionalInterface
    interface EngineAction {
        void on(DockerClient client) throws IOException, InterruptedException;
    }

    @FunctionalInterface
    private interface AgreedCall<T> {
        T on(Agreed with) throws IOException, InterruptedException;
    }

    Engine(DockerSettings settings) {
        failures = new EngineFailures(settings.endpoint());
        socket = new EngineSocket(settings.endpoint(), settings.tlsDirectory(), CONNECT);
        config = new DefaultDockerClientConfig.Builder()
                .withDockerHost(settings.endpoint().toString())
                .withDockerConfig(
                        settings.registryLogins().map(Object::toString).orElse(null));
        endpoint = settings.endpoint();
    }

    /// What the engine says of itself; asked once, and again after it was away.
    EngineVersion version() throws InterruptedException {
        return call("ask the Docker engine for its version", LOOK, true, with -> with.version);
    }

    /// What the engine says of its machine; asked once, and again after it was away.
    EngineFacts facts() throws InterruptedException {
        return call("ask the Docker engine for its machine", LOOK, true, Agreed::facts);
    }

    /// Its version, after making sure that the engine answers right now.
    EngineVersion check() throws InterruptedException {
        return call("ping the Docker engine", LOOK, true, with -> {
            with.client.pingCmd().exec();
            return with.version;
        });
    }

    /// Looks at something. An interrupt gives up at once.
    <T> T look(String doing, EngineCall<T> call) throws InterruptedException {
        return look(doing, LOOK, call);
    }

    /// Like [#look], for what may take long.
    <T> T look(String doing, Duration limit, EngineCall<T> call) throws InterruptedException {
        return call(doing, limit, true, with -> call.on(with.client));
    }

    /// Changes something. An interrupt is kept until the answer is there: to give up in the middle would leave it open
    /// whether the change took place.
    <T> T change(String doing, EngineCall<T> call) {
        try {
            return call(doing, CHANGE, false, with -> call.on(with.client));
        } catch (InterruptedException e) {
            throw new IllegalStateException("not interruptible", e);
        }
    }

    /// Like [#change], where the answer says nothing more.
    void act(String doing, EngineAction action) {
        change(doing, client -> {
            action.on(client);
            return true;
        });
    }

    /// Opens a connection of another kind to the same engine.
    <T> T dial(String doing, EngineDial<T> dial) throws InterruptedException {
        return call(doing, LOOK, true, with -> dial.on(socket, with.version.api()));
    }

    /// Follows something for as long as it lasts, on the caller's own thread.
    <T> T follow(String doing, EngineCall<T> call) throws InterruptedException {
        try {
            return attempt(with -> call.on(with.client));
        } catch (IOException | RuntimeException e) {
            if (Thread.interrupted()) throw new InterruptedException(doing);
            throw failures.translate(doing, e);
        }
    }

    @Override
    public void close() {
        var made = http;
        if (made == null) return;
        try {
            made.close();
        } catch (IOException e) {
            throw new IllegalStateException("closing a client without connections", e);
        }
    }

    /// The transport has no time limit of its own on a unix socket, and blocks uninterruptibly on a platform thread. So
    /// each call runs on a virtual thread, where an interrupt closes its connection.
    private <T> T call(String doing, Duration limit, boolean interruptible, AgreedCall<T> call)
            throws InterruptedException {
        var task = new FutureTask<T>(() -> attempt(call));
        var worker = Thread.ofVirtual().name("docker-call").start(task);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get(limit.toNanos(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    if (interruptible) {
                        worker.interrupt();
                        throw e;
                    }
                    interrupted = true;
                }
            }
        } catch (TimeoutException e) {
            worker.interrupt();
            agreed = null;
            throw failures.unreachable("no answer within %d s (%s)".formatted(limit.toSeconds(), doing), e);
        } catch (ExecutionException e) {
            throw failures.translate(doing, Objects.requireNonNullElse(e.getCause(), e));
        } finally {
            if (interrupted) Thread.currentThread().interrupt();
        }
    }

    private <T> T attempt(AgreedCall<T> call) throws IOException, InterruptedException {
        try {
            return call.on(agreed());
        } catch (DockerException e) {
            if (!EngineFailures.isVersionRefused(e)) throw e;
            agreed = null; // another engine than before: nothing was done yet, so once more
            return call.on(agreed());
        } catch (IOException | RuntimeException e) {
            if (EngineFailures.isUnreachable(e)) agreed = null;
            throw e;
        }
    }

    private Agreed agreed() {
        var known = agreed;
        if (known != null) return known;
        agreeing.lock();
        try {
            known = agreed;
            if (known == null) agreed = known = agree();
            return known;
        } finally {
            agreeing.unlock();
        }
    }

    private Agreed agree() {
        var version = client(Optional.empty()).versionCmd().exec();
        var highest = ApiVersion.parse(String.valueOf(version.getApiVersion()));
        // Engines before 1.12 do not say; they are refused for their highest.
        var lowest =
                ApiVersion.parse(String.valueOf(version.getMinAPIVersion())).or(() -> highest);
        var common = highest.flatMap(high -> lowest.flatMap(low -> ApiVersion.common(low, high)))
                .orElseThrow(() -> new BackendUnavailable(
                        "docker engine %s speaks API %s to %s, and the gateway %s to %s: no version that both know"
                                .formatted(
                                        version.getVersion(),
                                        version.getMinAPIVersion(),
                                        version.getApiVersion(),
                                        ApiVersion.OLDEST,
                                        ApiVersion.NEWEST)));
        if (!"linux".equals(version.getOperatingSystem()))
            throw new BackendUnavailable("docker engine %s runs %s containers; sandboxes need linux ones"
                    .formatted(version.getVersion(), version.getOperatingSystem()));
        return new Agreed(
                client(Optional.of(common)),
                new EngineVersion(String.valueOf(version.getVersion()), common, String.valueOf(version.getArch())));
    }

    private DockerClient client(Optional<ApiVersion> version) {
        var built = config.withApiVersion(version.map(Object::toString).orElse(null))
                .build();
        return DockerClientImpl.getInstance(built, http());
    }

    private DockerHttpClient http() {
        var made = http;
        if (made == null)
            http = made = new FreshConnections(new ZerodepDockerHttpClient.Builder()
                    .dockerHost(endpoint)
                    .sslConfig(socket.tls().orElse(null))
                    .connectionTimeout(CONNECT)
                    .build());
        return made;
    }
}
