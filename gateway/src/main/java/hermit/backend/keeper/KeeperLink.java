package hermit.backend.keeper;

import hermit.exec.Command;
import hermit.exec.Command.Pace;
import hermit.exec.Command.Program;
import hermit.exec.Command.Stdin;
import hermit.exec.ExecId;
import hermit.exec.Exit;
import hermit.exec.MachineGone;
import hermit.exec.OutputSink;
import hermit.exec.OutputStreamKind;
import hermit.exec.RunningCommand;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.BackendUnavailable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The commands of one machine, through its keeper. Bridges may break at any moment: the link opens another and goes on
/// with each command where its output stopped, and nothing is started twice. [hermit.exec.ExecBackend] says what
/// callers may rely on.
///
/// Nothing is opened before it is needed. A machine that was restarted is the same link: its old commands end as lost.
public final class KeeperLink implements AutoCloseable {
    /// A link that was silent for this long is asked for a sign of life before a command is sent: a START that goes
    /// into a machine that has just died would leave the question whether it ran. Costs one round trip.
    private static final Duration FRESH = Duration.ofMillis(20);

    /// A machine that is paused does not answer at all.
    private static final Duration SIGN_OF_LIFE_WITHIN = Duration.ofSeconds(3);
    /// A connection may break between two steps; more often than this in a row is no accident.
    private static final int ATTEMPTS = 3;
    /// Outcomes that the keeper may drop, told once there is a connection. What does not fit here it keeps until it
    /// must make room.
    private static final int MOST_UNTOLD = 1_024;

    private static final int NOT_FOUND = 127;
    private static final int NOT_EXECUTABLE = 126;
    private static final Logger log = LoggerFactory.getLogger(KeeperLink.class);

    private final LinkSettings settings;
    private final Scheduler scheduler;
    private final Connector connector;
    private final CommandEnvironment environment;
    private final Set<LinkedCommand> commands = ConcurrentHashMap.newKeySet();
    /// How many losses have not been mended; who makes it 1 mends them all.
    private final AtomicInteger losses = new AtomicInteger();

    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<ExecId> untold = new ArrayDeque<>();
    private volatile boolean closed;

    /// `random`: where the ids of the link's own commands come from.
    public KeeperLink(BridgeOpener opener, LinkSettings settings, Scheduler scheduler, RandomGenerator random) {
        this.settings = settings;
        this.scheduler = scheduler;
        this.connector = new Connector(opener, scheduler, _ -> lost());
        this.environment = new CommandEnvironment(settings, this::launch, this::forget, scheduler, random);
    }

    /// Whether there is a connection right now.
    public boolean isConnected() {
        return connector.current() != null;
    }

    /// Whether a command is followed that has not ended.
    public boolean isBusy() {
        return !commands.isEmpty();
    }

    /// Opens the connection if there is none, and sees that the keeper answers.
    public void connect() throws MachineGone, InterruptedException {
        alive();
    }

    /// Starts a command; see [hermit.exec.ExecBackend#start]. If this is interrupted, the command may have been
    /// started: [#attach] finds out.
    public RunningCommand start(Command command, OutputSink sink) throws MachineGone, InterruptedException {
        var connection = alive();
        var env = environment.of(command, connection.hello().boot());
        var request = request(command, env);
        var launched = launch(request, sink);
        if (launched.refusal().isPresent()) return refused(launched.refusal().get(), request, command.program(), sink);
        if (command.stdin() instanceof Stdin.Bytes(var bytes) && bytes.length > 0)
            launched.command().feed(bytes);
        return launched.command();
    }

    /// Finds a command again; see [hermit.exec.ExecBackend#attach].
    public Optional<RunningCommand> attach(ExecId id, long stdoutOffset, long stderrOffset, OutputSink sink)
            throws MachineGone, InterruptedException {
        var command = LinkedCommand.toFind(id, stdoutOffset, stderrOffset, sink, scheduler, commands::remove);
        begin(command);
        var refusal = command.awaitStart();
        if (refusal.isEmpty()) return Optional.of(command);
        return switch (refusal.get().code()) {
            case UNKNOWN_EXEC, TOO_OLD -> Optional.empty();
            default ->
                throw new GatewayException.ProviderError(
                        "find command %s in the sandbox: %s".formatted(id, refusal.get()));
        };
    }

    /// The command's outcome is stored: the keeper need not hold it any longer. Returns at once.
    public void forget(ExecId id) {
        lock.lock();
        try {
            var connection = connector.current();
            if (connection == null) {
                if (untold.size() < MOST_UNTOLD) untold.add(id);
                return;
            }
            for (var each = untold.poll(); each != null; each = untold.poll()) connection.forget(each);
            connection.forget(id);
        } finally {
            lock.unlock();
        }
    }

    /// Lets go of the connection. Commands go on in the machine; whoever awaits one gets an [IllegalStateException].
    @Override
    public void close() {
        closed = true;
        connector.close();
        for (LinkedCommand command : commands)
            command.abandon("the link to the sandbox was closed; the command goes on");
        commands.clear();
    }

    private StartRequest request(Command command, Map<String, String> env) {
        return new StartRequest(
                command.id(),
                CommandLine.of(command.program()),
                env,
                command.cwd().orElse(settings.agentHome()),
                settings.user(),
                command.timeout(),
                command.terminal(),
                switch (command.stdin()) {
                    case Stdin.Closed _ -> StartRequest.Input.CLOSED;
                    case Stdin.Bytes(var bytes) ->
                        bytes.length > 0 ? StartRequest.Input.BOUND : StartRequest.Input.CLOSED;
                    case Stdin.Open _ -> StartRequest.Input.OPEN;
                },
                command.pace() == Pace.HELD,
                command.keep(),
                settings.disk(isFileOperation(command.program())));
    }

    /// The keeper's own ones put new files in the place of old ones, and never let one grow that is there.
    private boolean isFileOperation(Program program) {
        return program instanceof Program.Argv(var words)
                && words.size() > 1
                && words.get(0).equals(settings.keeper())
                && words.get(1).equals("fs");
    }

    private Launcher.Launched launch(StartRequest request, OutputSink sink) throws MachineGone, InterruptedException {
        var command = LinkedCommand.toStart(request, sink, scheduler, commands::remove);
        begin(command);
        return new Launcher.Launched(command, command.awaitStart());
    }

    private void begin(LinkedCommand command) throws MachineGone, InterruptedException {
        commands.add(command);
        boolean begun = false;
        try {
            for (int i = 0; i < ATTEMPTS && !begun; i++) {
                var connection = alive();
                connection.awaitRoom();
                begun = command.begin(connection);
            }
            if (!begun) throw new BackendUnavailable("the connection to the sandbox breaks again and again");
        } finally {
            if (!begun) commands.remove(command);
        }
    }

    /// A connection of which a sign of life has just been seen.
    private KeeperConnection alive() throws MachineGone, InterruptedException {
        for (int i = 0; i < ATTEMPTS; i++) {
            KeeperConnection connection;
            try {
                connection = connector.get();
            } catch (IOException e) {
                throw new BackendUnavailable("reach the sandbox: " + e.getMessage(), e);
            }
            if (connection.silence().compareTo(FRESH) < 0 || givesSignOfLife(connection)) return connection;
        }
        throw new BackendUnavailable("the sandbox does not answer");
    }

    private boolean givesSignOfLife(KeeperConnection connection) throws InterruptedException {
        var patience = scheduler.after(
                SIGN_OF_LIFE_WITHIN,
                () -> connection.fail(
                        new IOException("the keeper gave no sign of life within " + SIGN_OF_LIFE_WITHIN)));
        try {
            connection.ping().get();
            return true;
        } catch (ExecutionException e) {
            log.debug("The connection was found to be dead", e);
            return false;
        } finally {
            patience.cancel();
        }
    }

    private RunningCommand refused(Refusal refusal, StartRequest request, Program program, OutputSink sink)
            throws InterruptedException {
        if (program instanceof Program.Argv) {
            String name = request.argv().getFirst();
            if (refusal.code() == Refusal.Code.PROGRAM_NOT_FOUND)
                return saying("hermit: %s: not found\n".formatted(name), NOT_FOUND, sink);
            if (refusal.code() == Refusal.Code.NOT_EXECUTABLE)
                return saying("hermit: %s: cannot be executed\n".formatted(name), NOT_EXECUTABLE, sink);
        }
        throw Refusals.of(refusal, request);
    }

    /// What a shell does when it cannot run a program: a line on stderr, and a code.
    private static RunningCommand saying(String line, int code, OutputSink sink) throws InterruptedException {
        var bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8));
        long length = bytes.remaining();
        sink.output(OutputStreamKind.STDERR, 0, bytes);
        return new EndedCommand(new Exit.End(new Exit.Exited(code), 0, length, Duration.ZERO, 0));
    }

    private void lost() {
        if (closed || losses.getAndIncrement() > 0) return;
        Thread.ofVirtual().name("keeper-mender").start(() -> {
            int seen;
            do {
                seen = losses.get();
                mend();
            } while (losses.addAndGet(-seen) > 0);
        });
    }

    /// Until no command is without a connection.
    private void mend() {
        try {
            for (var lost = lostCommands(); !lost.isEmpty() && !closed; lost = lostCommands()) {
                try {
                    var connection = connector.get();
                    lost.forEach(each -> each.reattach(connection));
                } catch (MachineGone gone) {
                    lost.forEach(each -> each.machineGone(gone));
                } catch (IOException | GatewayException e) {
                    log.info("{} commands wait for a connection to their sandbox: {}", lost.size(), e.getMessage());
                    connector.pause();
                }
            }
        } catch (InterruptedException | LinkClosed e) {
            log.debug("The link was closed while it was being mended", e);
        }
    }

    private List<LinkedCommand> lostCommands() {
        var lost = new ArrayList<LinkedCommand>();
        for (LinkedCommand command : commands) if (command.isLost()) lost.add(command);
        return lost;
    }
}
