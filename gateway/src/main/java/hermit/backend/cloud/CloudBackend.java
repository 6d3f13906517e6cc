package hermit.backend.cloud;

import hermit.backend.keeper.Bridge;
import hermit.backend.keeper.KeeperLink;
import hermit.backend.keeper.KeeperPrograms;
import hermit.backend.keeper.LinkSettings;
import hermit.backend.keeper.Scheduler;
import hermit.exec.Command;
import hermit.exec.ExecBackend;
import hermit.exec.ExecId;
import hermit.exec.LiveState;
import hermit.exec.LiveState.State;
import hermit.exec.Machine;
import hermit.exec.MachineGone;
import hermit.exec.MachineSpec;
import hermit.exec.OutputSink;
import hermit.exec.Progress;
import hermit.exec.RunningCommand;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.BackendUnavailable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;

/// One sandbox in one cloud machine. The provider is asked for its life cycle; commands go to the keeper in it.
final class CloudBackend implements ExecBackend {
    /// A machine that runs lets itself be reached within seconds; what still fails after that many tries is broken.
    private static final int GREETINGS = 5;

    private static final Duration BETWEEN_GREETINGS = Duration.ofSeconds(1);

    /// TERM, the grace, KILL, and a little more.
    private static final int ENDINGS = 15;

    private static final Duration BETWEEN_ENDINGS = Duration.ofMillis(200);

    private final CloudClient client;
    private final MachineSpec spec;
    private final UUID instance;
    private final KeeperPrograms programs;
    private final Scheduler scheduler;
    private final RandomGenerator random;
    private final KeepAlive keepAlive;

    private volatile Known known;
    private volatile Optional<Reached> reached = Optional.empty();
    /// What an ensure that is under way is doing; empty if none is.
    private volatile Optional<String> bringingUp = Optional.empty();

    /// What the row knows of its machine. `up`: it ran when it was last looked at, and nobody has shut it down since.
    private record Known(long generation, Optional<String> machineId, boolean up) {}

    private record Reached(String machineId, KeeperLink link, KeeperInstall install) {}

    CloudBackend(
            CloudClient client,
            MachineSpec spec,
            UUID instance,
            KeeperPrograms programs,
            Scheduler scheduler,
            RandomGenerator random) {
        this.client = client;
        this.spec = spec;
        this.instance = instance;
        this.programs = programs;
        this.scheduler = scheduler;
        this.random = random;
        this.known = new Known(spec.generation(), spec.externalId(), false);
        this.keepAlive = new KeepAlive(scheduler, client.prolongEvery(spec.config()), this::isBusy, this::prolong);
    }

    @Override
    public Machine ensure(Progress progress) throws InterruptedException {
        bringingUp = Optional.of("");
        try {
            var notes = new ArrayList<String>();
            var machine = bringUpAndGreet(line -> report(line, progress), notes);
            keepAlive.fresh();
            known = new Known(known.generation, Optional.of(machine.id()), true);
            return new Machine(machine.id(), known.generation, notes);
        } finally {
            bringingUp = Optional.empty();
        }
    }

    @Override
    public boolean isReady() {
        return reached.filter(last -> last.link.isConnected()).isPresent();
    }

    @Override
    public String keeperPath() {
        return reached.orElseThrow(() -> new IllegalStateException("the sandbox has not been brought up"))
                .install
                .program();
    }

    @Override
    public RunningCommand start(Command command, OutputSink sink) throws InterruptedException, MachineGone {
        try {
            var running = link().start(command, sink);
            keepAlive.begin();
            return running;
        } catch (BackendUnavailable e) {
            throw goneOr(e);
        }
    }

    @Override
    public Optional<RunningCommand> attach(ExecId id, long stdoutOffset, long stderrOffset, OutputSink sink)
            throws InterruptedException, MachineGone {
        try {
            var found = link().attach(id, stdoutOffset, stderrOffset, sink);
            if (found.isPresent()) keepAlive.begin();
            return found;
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
        var id = known.machineId;
        if (id.isEmpty()) return;
        known = new Known(known.generation, id, false);
        // A machine that is paused with its memory would go on with what runs, so what was cancelled is given its time.
        for (int i = 0; i < ENDINGS && isBusy(); i++) scheduler.pause(BETWEEN_ENDINGS);
        if (!isBusy()) letGo();
        client.pause(id.get());
    }

    @Override
    public void destroy() throws InterruptedException {
        if (known.machineId.isPresent()) client.destroy(known.machineId.get());
        // What an answer that was lost has made.
        for (var other : client.list(Optional.of(spec.sandboxId()))) client.destroy(other.id());
        known = new Known(known.generation, known.machineId, false);
        letGo();
    }

    @Override
    public LiveState observe() throws InterruptedException {
        var now = scheduler.instant();
        try {
            var starting = bringingUp;
            var found =
                    known.machineId.isPresent() ? client.find(known.machineId.get()) : Optional.<CloudMachine>empty();
            if (starting.isPresent() && found.filter(CloudBackend::runs).isEmpty())
                return new LiveState(State.STARTING, starting.get(), now);
            return found.map(machine -> new LiveState(machine.state(), machine.detail(), now))
                    .orElseGet(() -> new LiveState(State.ABSENT, "", now));
        } catch (GatewayException e) {
            return new LiveState(State.UNKNOWN, e.detail(), now);
        }
    }

    @Override
    public void close() {
        keepAlive.close();
        letGo();
    }

    // --- the machine

    /// The provider may pause or remove a machine between two questions: then it is looked at once more.
    private CloudMachine bringUpAndGreet(Progress progress, List<String> notes) throws InterruptedException {
        var machine = bringUp(progress, notes);
        try {
            greet(machine);
            return machine;
        } catch (MachineGone e) {
            progress.report("the sandbox went away; looking again");
            var again = bringUp(progress, notes);
            try {
                greet(again);
                return again;
            } catch (MachineGone twice) {
                throw new BackendUnavailable(
                        "sandbox %s went away twice: %s".formatted(again.id(), twice.getMessage()), twice);
            }
        }
    }

    private CloudMachine bringUp(Progress progress, List<String> notes) throws InterruptedException {
        var found = find();
        if (found.isEmpty()) return create(gone(), progress, notes);
        var machine = found.get();
        if (runs(machine)) {
            client.prolong(machine.id(), spec.config());
            return machine;
        }
        progress.report("the sandbox is %s; resuming it".formatted(machine.state()));
        var resumed = client.resume(machine, spec.config(), progress);
        if (resumed.isEmpty()) return create(broken(machine), progress, notes);
        if (known.up) notes.add("the sandbox was %s and has been resumed".formatted(machine.state()));
        if (!resumed.get().id().equals(machine.id())) {
            notes.add("the provider resumed it under another id (%s, before %s): files may be older than what was there"
                    .formatted(resumed.get().id(), machine.id()));
            known = new Known(known.generation + 1, Optional.of(resumed.get().id()), known.up);
        }
        return resumed.get();
    }

    /// The row's machine; or one that an earlier ensure has made without learning of it.
    private Optional<CloudMachine> find() throws InterruptedException {
        if (known.machineId.isPresent()) {
            var own = client.find(known.machineId.get());
            if (own.isPresent()) return own;
        }
        var candidates = client.list(Optional.of(spec.sandboxId())).stream()
                .filter(machine -> machine.state() != State.ERROR && !known.machineId.equals(Optional.of(machine.id())))
                .sorted(Comparator.comparing(
                                (CloudMachine machine) -> machine.createdAt().orElse(Instant.EPOCH))
                        .reversed())
                .toList();
        for (var candidate : candidates) {
            var there = client.find(candidate.id()); // a list may lag
            if (there.isEmpty()) continue;
            long generation = Marks.generationOf(there.get().marks()).orElse(known.generation + 1);
            known = new Known(
                    Math.max(generation, known.generation),
                    Optional.of(there.get().id()),
                    false);
            return there;
        }
        return Optional.empty();
    }

    private CloudMachine create(Optional<String> note, Progress progress, List<String> notes)
            throws InterruptedException {
        note.ifPresent(notes::add);
        progress.report("making a sandbox at " + spec.config().type());
        long generation = known.generation + 1;
        letGo();
        var made = client.create(spec, Marks.of(instance, spec, generation), progress);
        known = new Known(generation, Optional.of(made.id()), true);
        return made;
    }

    private Optional<String> gone() {
        return known.machineId.map(
                id -> "the sandbox %s was gone at the provider, and so are its files; it was made anew".formatted(id));
    }

    private static Optional<String> broken(CloudMachine machine) {
        return Optional.of(
                "the sandbox %s cannot be used any more (%s); another was made. The old one is left and listed as a leftover"
                        .formatted(machine.id(), machine.detail().isEmpty() ? machine.state() : machine.detail()));
    }

    private void prolong() throws InterruptedException {
        if (known.machineId.isPresent() && known.up) client.prolong(known.machineId.get(), spec.config());
    }

    private static boolean runs(CloudMachine machine) {
        return machine.state() == State.RUNNING;
    }

    // --- the keeper in it

    /// Sees that the keeper runs and answers. The link to an earlier machine is let go of.
    private void greet(CloudMachine machine) throws MachineGone, InterruptedException {
        for (int i = 1; ; i++) {
            try {
                linkTo(machine).connect();
                return;
            } catch (IOException | BackendUnavailable e) {
                if (i == GREETINGS)
                    throw new BackendUnavailable(
                            "sandbox %s runs, but cannot be reached: %s".formatted(machine.id(), e.getMessage()), e);
            }
            scheduler.pause(BETWEEN_GREETINGS);
        }
    }

    private KeeperLink linkTo(CloudMachine machine) throws IOException, MachineGone, InterruptedException {
        var last = reached;
        if (last.isPresent() && last.get().machineId.equals(machine.id())) return last.get().link;
        letGo();
        var config = spec.config();
        var install = new KeeperInstall(client.guest(machine, config), programs, config.user(), config.agentHome());
        var imageEnv = install.start();
        var settings = new LinkSettings(config.user(), config.agentHome(), imageEnv, config.env(), install.program());
        var started = new AtomicBoolean(true);
        var link = new KeeperLink(() -> bridge(install, started), settings, scheduler, random);
        reached = Optional.of(new Reached(machine.id(), link, install));
        return link;
    }

    /// Whenever a stream is opened again, the keeper may have been what broke it.
    private static Bridge bridge(KeeperInstall install, AtomicBoolean started)
            throws IOException, MachineGone, InterruptedException {
        if (!started.getAndSet(false)) install.start();
        return install.bridge();
    }

    private boolean isBusy() {
        return reached.filter(last -> last.link.isBusy()).isPresent();
    }

    private KeeperLink link() throws MachineGone {
        return reached.orElseThrow(
                        () -> new MachineGone("sandbox '%s' has not been brought up".formatted(spec.alias())))
                .link;
    }

    /// The stream cannot always tell a machine that is gone from one that is out of reach just now; the provider can.
    private BackendUnavailable goneOr(BackendUnavailable unreachable) throws InterruptedException, MachineGone {
        var id = known.machineId;
        if (id.isEmpty() || client.find(id.get()).filter(CloudBackend::runs).isEmpty())
            throw new MachineGone("sandbox %s does not run".formatted(id.orElse(spec.alias())), unreachable);
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
}
