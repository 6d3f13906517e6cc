package hermit.backend.docker;

import hermit.backend.docker.FoundContainer.State;
import hermit.backend.docker.SandboxContainer.Known;
import hermit.backend.keeper.KeeperLink;
import hermit.backend.keeper.LinkSettings;
import hermit.backend.keeper.Scheduler;
import hermit.exec.Command;
import hermit.exec.DockerConfig;
import hermit.exec.ExecBackend;
import hermit.exec.ExecId;
import hermit.exec.LiveState;
import hermit.exec.Machine;
import hermit.exec.MachineGone;
import hermit.exec.MachineSpec;
import hermit.exec.OutputSink;
import hermit.exec.Progress;
import hermit.exec.RunningCommand;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.ProviderError;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// One sandbox in one container. The engine is asked for its life cycle; commands go straight to the keeper.
final class DockerBackend implements ExecBackend {
    /// A keeper answers within milliseconds of its start. What still fails after that many tries is broken.
    private static final int GREETINGS = 5;

    private static final Duration BETWEEN_GREETINGS = Duration.ofMillis(500);

    private final Docker docker;
    private final MachineSpec spec;
    private final DockerConfig config;
    private final SandboxContainer container;
    private final Scheduler scheduler;
    private final RandomGenerator random;

    /// The machine of the last ensure, as far as it is known. Replaced as a whole.
    private volatile Optional<Reached> reached = Optional.empty();

    private volatile Known known;
    /// What an ensure that is under way is doing; empty if none is.
    private volatile Optional<String> bringingUp = Optional.empty();

    /// - `moment`: of the watch, before the container was looked at.
    private record Reached(String containerId, KeeperLink link, long moment) {}

    DockerBackend(Docker docker, MachineSpec spec, DockerConfig config, Scheduler scheduler, RandomGenerator random) {
        this.docker = docker;
        this.spec = spec;
        this.config = config;
        this.container = new SandboxContainer(docker, spec, config);
        this.scheduler = scheduler;
        this.random = random;
        this.known = new Known(spec.generation(), spec.externalId().isPresent(), false);
    }

    @Override
    public Machine ensure(Progress progress) throws InterruptedException {
        bringingUp = Optional.of("");
        try {
            long moment = docker.watch().now();
            var up = container.bringUp(known, line -> report(line, progress), this::greet);
            reached = reached.map(last -> new Reached(last.containerId, last.link, moment));
            known = new Known(Math.max(known.generation(), up.generation()), true, true);
            return new Machine(container.name(), up.generation(), up.notes());
        } catch (NoKeeper e) {
            throw new ProviderError(String.valueOf(e.getMessage()), e);
        } finally {
            bringingUp = Optional.empty();
        }
    }

    @Override
    public boolean isReady() {
        return reached.filter(
                        last -> last.link.isConnected() && docker.watch().unchangedSince(container.name(), last.moment))
                .isPresent();
    }

    @Override
    public String keeperPath() {
        return KeeperVolume.PROGRAM;
    }

    @Override
    public RunningCommand start(Command command, OutputSink sink) throws InterruptedException, MachineGone {
        try {
            return link().start(command, sink);
        } catch (BackendUnavailable e) {
            // Nothing was started. The engine may still show as running what is just going away, so the machine is
            // looked at anew whatever it shows; only an engine that does not answer is the end of it.
            throw new MachineGone("container %s (%s): %s".formatted(container.name(), shown(), e.detail()), e);
        }
    }

    @Override
    public Optional<RunningCommand> attach(ExecId id, long stdoutOffset, long stderrOffset, OutputSink sink)
            throws InterruptedException, MachineGone {
        try {
            return link().attach(id, stdoutOffset, stderrOffset, sink);
        } catch (BackendUnavailable e) {
            throw goneOr(e);
        }
    }

    @Override
    public void forget(ExecId id) {
        reached.ifPresent(last -> last.link.forget(id));
    }

    @Override
    public void shutdown() throws InterruptedException {
        var found = container.find().filter(container::own);
        if (found.isEmpty()) return;
        known = new Known(known.generation(), known.existed(), false);
        // A paused container cannot take a signal.
        if (found.get().state() == State.PAUSED)
            docker.containers().unpause(found.get().id(), container.name());
        docker.containers().stop(found.get().id(), container.name());
    }

    @Override
    public void destroy() throws InterruptedException {
        var found = container.find().filter(container::own);
        if (found.isPresent()) docker.containers().remove(found.get().id(), container.name());
        known = new Known(known.generation(), known.existed(), false);
        letGo();
    }

    @Override
    public LiveState observe() throws InterruptedException {
        var now = scheduler.instant();
        Optional<FoundContainer> found;
        try {
            found = container.find();
        } catch (BackendUnavailable e) {
            return new LiveState(LiveState.State.UNKNOWN, e.detail(), now);
        }
        var starting = bringingUp;
        if (starting.isPresent()
                && found.filter(each -> each.state() == State.RUNNING).isEmpty())
            return new LiveState(LiveState.State.STARTING, starting.get(), now);
        if (found.isEmpty()) return new LiveState(LiveState.State.ABSENT, "", now);
        if (!container.own(found.get()))
            return new LiveState(LiveState.State.ERROR, "a foreign container has the name " + container.name(), now);
        return ObservedStates.of(found.get(), now);
    }

    @Override
    public void close() {
        letGo();
    }

    private String shown() throws InterruptedException {
        return container
                .find()
                .map(found -> found.state().name().toLowerCase(Locale.ROOT))
                .orElse("absent");
    }

    /// The link cannot always tell a machine that is gone from one that is out of reach just now; the engine can.
    private BackendUnavailable goneOr(BackendUnavailable unreachable) throws InterruptedException, MachineGone {
        var running = container.find().filter(container::own).filter(found -> found.state() == State.RUNNING);
        if (running.isEmpty())
            throw new MachineGone("container %s does not run".formatted(container.name()), unreachable);
        return unreachable;
    }

    private void letGo() {
        var last = reached;
        reached = Optional.empty();
        last.ifPresent(each -> each.link.close());
    }

    private void report(String line, Progress progress) {
        bringingUp = Optional.of(line);
        progress.report(line);
    }

    private KeeperLink link() throws MachineGone {
        return reached.orElseThrow(
                        () -> new MachineGone("sandbox '%s' has not been brought up".formatted(spec.alias())))
                .link;
    }

    /// Connects to the keeper of a container. The link of an earlier one is let go of: its commands are lost with it.
    private void greet(FoundContainer found) throws InterruptedException {
        var link = linkTo(found);
        for (int i = 1; ; i++) {
            try {
                link.connect();
                return;
            } catch (MachineGone e) {
                throw ended(found, e);
            } catch (BackendUnavailable e) {
                // Either the engine, which the next line then says, or the keeper.
                var state = docker.containers().find(found.id()).map(FoundContainer::state);
                if (state.filter(State.RUNNING::equals).isEmpty()) throw ended(found, e);
                if (i == GREETINGS) throw NoKeeper.silent(container.name(), e.detail(), e);
            }
            scheduler.pause(BETWEEN_GREETINGS);
        }
    }

    private KeeperLink linkTo(FoundContainer found) {
        var last = reached;
        if (last.isPresent() && last.get().containerId.equals(found.id())) return last.get().link;
        letGo();
        var settings = new LinkSettings(
                config.username(),
                config.agentHome(),
                found.env(),
                config.env(),
                KeeperVolume.PROGRAM,
                Optional.of(config.diskLimit()));
        var opener = new ExecBridge(docker.engine(), docker.containers(), found.id(), container.name());
        var link = new KeeperLink(opener, settings, scheduler, random);
        reached = Optional.of(new Reached(found.id(), link, 0));
        return link;
    }

    private NoKeeper ended(FoundContainer found, Exception cause) throws InterruptedException {
        // In this order: what is found after its log was read had one.
        String log = docker.containers().lastLines(found.id());
        var now = docker.containers().find(found.id());
        if (now.isEmpty()) return NoKeeper.ended(container.name(), "it was removed", cause);
        return NoKeeper.ended(
                container.name(),
                now.get().state() == State.EXITED
                        ? "it ended with %d: %s".formatted(now.get().exitCode(), log)
                        : "it is " + now.get().state().name().toLowerCase(Locale.ROOT),
                cause);
    }
}
