package hermit.backend.keeper;

import hermit.exec.Command;
import hermit.exec.ExecId;
import hermit.exec.Exit;
import hermit.exec.MachineGone;
import hermit.exec.OutputStreamKind;
import hermit.exec.Uuids;
import hermit.problem.GatewayException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The environment that commands get: what a login shell of the user makes of the image's, then the sandbox's own, then
/// the command's. A login shell costs many times what a command does, so it is asked once for each run of the machine,
/// by one of those who need it.
final class CommandEnvironment {
    static final Duration CAPTURE_WITHIN = Duration.ofSeconds(10);
    private static final int LONGEST_CAPTURE = 1 << 20;
    /// What the engine gives to an image that sets none.
    private static final String DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    private static final Logger log = LoggerFactory.getLogger(CommandEnvironment.class);

    private final LinkSettings settings;
    private final Launcher launcher;
    private final Consumer<ExecId> forget;
    private final Scheduler scheduler;
    private final RandomGenerator random;
    private final Map<String, String> base;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Shared shared;

    /// What all commands of one run of the machine share.
    private record Shared(UUID boot, CompletableFuture<Captured> captured) {}

    /// `lasting`: it would be the same again.
    private record Captured(Map<String, String> env, boolean lasting) {}

    CommandEnvironment(
            LinkSettings settings,
            Launcher launcher,
            Consumer<ExecId> forget,
            Scheduler scheduler,
            RandomGenerator random) {
        this.settings = settings;
        this.launcher = launcher;
        this.forget = forget;
        this.scheduler = scheduler;
        this.random = random;
        var env = new HashMap<>(settings.imageEnv());
        env.putIfAbsent("PATH", DEFAULT_PATH);
        env.putAll(identity());
        this.base = Map.copyOf(env);
    }

    /// The whole environment of a command in this run of the machine.
    Map<String, String> of(Command command, UUID boot) throws MachineGone, InterruptedException {
        var env = new HashMap<>(command.login() ? capture().env() : shared(boot));
        identity().forEach(env::putIfAbsent);
        // What the image thinks of its terminal says nothing about the one that is given now.
        command.terminal().ifPresent(_ -> env.put("TERM", "xterm-256color"));
        env.putAll(settings.sandboxEnv());
        env.putAll(command.env());
        env.putIfAbsent("PAGER", "cat");
        env.putIfAbsent("GIT_PAGER", "cat");
        return env;
    }

    private Map<String, String> identity() {
        return Map.of("HOME", settings.agentHome(), "USER", settings.userName(), "LOGNAME", settings.userName());
    }

    private Map<String, String> shared(UUID boot) throws MachineGone, InterruptedException {
        Shared mine;
        lock.lock();
        try {
            if (shared == null || !shared.boot.equals(boot)) {
                shared = new Shared(boot, new CompletableFuture<>());
                var fresh = shared;
                // On a thread of its own: the one that asks first may be interrupted, and others wait for the same.
                Thread.ofVirtual().name("keeper-environment").start(() -> fill(fresh));
            }
            mine = shared;
        } finally {
            lock.unlock();
        }
        try {
            return mine.captured.get().env();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof MachineGone gone)
                throw new MachineGone(String.valueOf(gone.getMessage()), gone);
            if (e.getCause() instanceof GatewayException problem) throw problem;
            throw new IllegalStateException("capture the login environment: " + e.getCause(), e.getCause());
        }
    }

    private void fill(Shared fresh) {
        try {
            var captured = capture();
            if (!captured.lasting()) drop(fresh);
            fresh.captured.complete(captured);
        } catch (MachineGone | InterruptedException | RuntimeException e) {
            drop(fresh);
            fresh.captured.completeExceptionally(e);
        }
    }

    private void drop(Shared failed) {
        lock.lock();
        try {
            if (failed.equals(shared)) shared = null;
        } finally {
            lock.unlock();
        }
    }

    private Captured capture() throws MachineGone, InterruptedException {
        var request = new StartRequest(
                new ExecId(Uuids.timeOrdered(scheduler.instant(), random)),
                LoginEnvironment.argv(settings.keeper()),
                base,
                "/",
                settings.user(),
                Optional.of(CAPTURE_WITHIN),
                Optional.empty(),
                StartRequest.Input.CLOSED,
                true,
                0,
                settings.disk(false));
        var printed = new ByteArrayOutputStream();
        var launched = launcher.launch(request, (stream, _, bytes) -> collect(printed, stream, bytes));
        if (launched.refusal().isPresent())
            return without(launched.refusal().get().toString(), false);
        var patience = scheduler.after(CAPTURE_WITHIN, launched.command()::detach);
        try {
            var exit = launched.command().await().exit();
            if (!exit.equals(new Exit.Exited(0)))
                return without("the login shell ended as " + exit, exit instanceof Exit.Exited);
            return LoginEnvironment.parse(printed.toByteArray(), base)
                    .map(env -> new Captured(env, true))
                    .orElseGet(() -> without("the login shell printed no environment", true));
        } catch (IllegalStateException e) {
            return without("the login shell took more than " + CAPTURE_WITHIN, true);
        } finally {
            patience.cancel();
            forget.accept(request.id());
        }
    }

    private static void collect(ByteArrayOutputStream printed, OutputStreamKind stream, ByteBuffer bytes) {
        if (stream != OutputStreamKind.STDOUT || printed.size() + bytes.remaining() > LONGEST_CAPTURE) return;
        printed.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
    }

    private Captured without(String why, boolean lasting) {
        log.warn(
                "The environment of a login shell of user '{}' could not be captured ({}): commands get the image's",
                settings.user(),
                why);
        return new Captured(base, lasting);
    }
}
