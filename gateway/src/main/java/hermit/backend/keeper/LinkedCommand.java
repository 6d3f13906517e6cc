package hermit.backend.keeper;

import hermit.exec.Command.Terminal;
import hermit.exec.ExecId;
import hermit.exec.Exit;
import hermit.exec.MachineGone;
import hermit.exec.OutputSink;
import hermit.exec.OutputStreamKind;
import hermit.exec.RunningCommand;
import hermit.problem.GatewayException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One command over as many connections as it takes. Started or found again over the first, attached again over each
/// further one from where its output stopped, until it is known how it ended or nothing can be learned any more.
final class LinkedCommand implements RunningCommand, Follower {
    /// A keeper that goes on giving up a channel is not asked for ever.
    private static final int MOST_DROPS = 3;

    /// How long a program may take to be executed before it is asked for again.
    private static final Duration EXECUTING = Duration.ofMillis(50);

    private static final int LAST_SIGNAL = 64;

    private enum Phase {
        NEW,
        START_ASKED,
        ATTACH_ASKED,
        RUNNING,
        /// There is no connection.
        LOST,
        OVER
    }

    private final ExecId id;
    /// Empty: it was started by somebody else.
    private final Optional<StartRequest> request;

    private final Scheduler scheduler;
    private final Consumer<LinkedCommand> whenOver;
    private final Delivery delivery;
    private final CommandStdin stdin = new CommandStdin();
    private final Outcome outcome = new Outcome();

    /// Guards all that follows. Never held while a sink, a stream or a thread is waited for.
    private final ReentrantLock lock = new ReentrantLock();

    private final Patience patience;
    private final Wishes wishes = new Wishes();
    private Phase phase = Phase.NEW;
    /// Whether it is known to have been started.
    private boolean known;

    private @Nullable Channel channel;
    /// The run of the machine in which it was asked for first.
    private @Nullable UUID boot;

    private Optional<Refusal> startDropped = Optional.empty();
    private int drops;
    private long startedAt;
    /// Its stdin is known from the start, and written by us.
    private boolean fed;

    private boolean stdinLost;

    private LinkedCommand(
            ExecId id,
            Optional<StartRequest> request,
            Delivery delivery,
            Scheduler scheduler,
            Consumer<LinkedCommand> whenOver) {
        this.id = id;
        this.request = request;
        this.delivery = delivery;
        this.scheduler = scheduler;
        this.whenOver = whenOver;
        this.startedAt = scheduler.nanos();
        this.patience = new Patience(scheduler, request.flatMap(StartRequest::timeout), this::overdue);
    }

    static LinkedCommand toStart(
            StartRequest request, OutputSink sink, Scheduler scheduler, Consumer<LinkedCommand> whenOver) {
        var delivery = new Delivery(request.id(), sink, 0, 0);
        return new LinkedCommand(request.id(), Optional.of(request), delivery, scheduler, whenOver);
    }

    static LinkedCommand toFind(
            ExecId id,
            long stdoutOffset,
            long stderrOffset,
            OutputSink sink,
            Scheduler scheduler,
            Consumer<LinkedCommand> whenOver) {
        var delivery = new Delivery(id, sink, stdoutOffset, stderrOffset);
        return new LinkedCommand(id, Optional.empty(), delivery, scheduler, whenOver);
    }

    // --- what the link does

    /// Sends START, or ATTACH if it is to be found. False if the connection was over, so that nothing was sent.
    boolean begin(KeeperConnection connection) {
        return locked(() -> {
            if (phase != Phase.NEW) return true;
            boolean asked = request.isPresent() ? askStart(connection, request.get()) : askAttach(connection);
            if (asked) patience.asked();
            else phase = Phase.NEW;
            return asked;
        });
    }

    /// Waits until it is known whether the command runs: empty if it does or did, else why it was not started or found.
    Optional<Refusal> awaitStart() throws InterruptedException, MachineGone {
        return outcome.awaitStart();
    }

    boolean isLost() {
        return locked(() -> phase == Phase.LOST);
    }

    /// Follows the command over this connection, if it has none.
    void reattach(KeeperConnection connection) {
        locked(() -> {
            if (phase != Phase.LOST) return;
            boolean mayHaveRun = known || request.isPresent();
            if (mayHaveRun && !connection.hello().boot().equals(boot))
                settle(new Exit.SandboxLost("the sandbox was restarted while the command ran"));
            else askAttach(connection);
        });
    }

    /// The machine is certainly not there any more.
    void machineGone(MachineGone gone) {
        locked(() -> {
            if (phase == Phase.LOST) settle(new Exit.SandboxLost(String.valueOf(gone.getMessage())));
        });
    }

    /// Lets go of it, and of those who wait for it: the command goes on, unwatched.
    void abandon(String why) {
        locked(() -> {
            if (outcome.isEnded()) return;
            close();
            delivery.stop();
            outcome.failed(new IllegalStateException(why));
        });
    }

    /// Writes all of it to stdin, then closes that.
    void feed(byte[] bytes) {
        locked(() -> {
            fed = true;
        });
        Thread.ofVirtual().name("keeper-stdin-" + id).start(() -> {
            try (stdin) {
                stdin.write(bytes);
            } catch (IOException _) {
                // The command does not want it, which is its own business; or it broke, which lost() has seen to.
            }
        });
    }

    // --- RunningCommand

    @Override
    public Exit.End await() throws InterruptedException {
        return outcome.awaitEnd();
    }

    @Override
    public void cancel() {
        locked(() -> wishes.cancel(live()));
    }

    @Override
    public void signal(int signal) {
        if (signal < 1 || signal > LAST_SIGNAL) throw new IllegalArgumentException("no signal " + signal);
        locked(() -> wishes.signal(signal, live()));
    }

    @Override
    public OutputStream stdin() {
        return stdin;
    }

    @Override
    public void resize(Terminal size) {
        locked(() -> wishes.resize(size, live()));
    }

    @Override
    public void detach() {
        locked(() -> {
            if (channel != null) channel.detach();
        });
        abandon("command %s is not followed any more".formatted(id));
        whenOver.accept(this);
    }

    // --- Follower

    @Override
    public void started(Channel from) {
        onCurrent(from, () -> running(from, Duration.ZERO));
    }

    @Override
    public void attached(Channel from, Attached attached) {
        onCurrent(from, () -> {
            if (attached.pid() == 0) {
                askLater(from);
                return;
            }
            running(from, Duration.ofMillis(attached.sinceStartMillis()));
            wishes.tell(from);
        });
    }

    @Override
    public void refused(Channel from, Refusal refusal) {
        onCurrent(from, () -> {
            channel = null;
            boolean startAsked = phase == Phase.START_ASKED;
            if (startAsked && refusal.code() == Refusal.Code.ALREADY_STARTED) askAttach(from.connection());
            else if (startAsked || (request.isEmpty() && !known)) refuse(refusal);
            else if (known) settle(new Exit.TransportLost("the sandbox forgot the command: " + refusal));
            else if (refusal.code() != Refusal.Code.UNKNOWN_EXEC)
                settle(new Exit.TransportLost("whether the command was started is unknown: " + refusal));
            else if (startDropped.isPresent()) refuse(startDropped.get());
            else askStart(from.connection(), request.orElseThrow()); // the first START never arrived
        });
    }

    @Override
    public void dropped(Channel from, Refusal refusal) {
        onCurrent(from, () -> {
            if (phase == Phase.START_ASKED) startDropped = Optional.of(refusal);
            disconnected();
            if (refusal.code() == Refusal.Code.UNKNOWN_EXEC || ++drops > MOST_DROPS)
                settle(new Exit.TransportLost("the sandbox stopped reporting on the command: " + refusal));
            else askAttach(from.connection());
        });
    }

    @Override
    public void output(Channel from, OutputStreamKind stream, long offset, ByteBuffer bytes) throws BadFrame {
        delivery.add(stream, offset, bytes);
    }

    @Override
    public void stdinCredit(Channel from, long bytes) {
        stdin.credit(bytes);
    }

    @Override
    public void stdinClosed(Channel from) {
        stdin.end("nobody reads the command's stdin any more");
    }

    @Override
    public void ended(Channel from, Ended ended) {
        onCurrent(from, () -> {
            var end = ended.toEnd();
            if (stdinLost) {
                var exit = new Exit.TransportLost("its stdin was cut short when the connection broke");
                end = new Exit.End(exit, end.stdoutBytes(), end.stderrBytes(), end.duration(), end.oomKills());
            }
            finish(end);
        });
    }

    @Override
    public void lost(Channel from, IOException why) {
        onCurrent(from, () -> {
            // Otherwise the answer is still missing, and its time goes on.
            if (phase == Phase.RUNNING) patience.disconnected();
            disconnected();
        });
    }

    // --- under the lock

    private boolean askStart(KeeperConnection connection, StartRequest request) {
        var asked = connection.start(request.fields(Delivery.WINDOW), Delivery.WINDOW, this);
        return follow(connection, asked, Phase.START_ASKED);
    }

    private boolean askAttach(KeeperConnection connection) {
        int window = delivery.reopen();
        var asked = connection.attach(
                id,
                delivery.next(OutputStreamKind.STDOUT),
                delivery.next(OutputStreamKind.STDERR),
                window,
                request.map(StartRequest::held).orElse(true),
                this);
        return follow(connection, asked, Phase.ATTACH_ASKED);
    }

    private boolean follow(KeeperConnection connection, Optional<Channel> asked, Phase next) {
        boot = connection.hello().boot();
        channel = asked.orElse(null);
        phase = asked.isPresent() ? next : Phase.LOST;
        asked.ifPresent(delivery::follow);
        return asked.isPresent();
    }

    /// It is about to be executed, or to fail: neither would be told on this channel.
    private void askLater(Channel from) {
        from.detach();
        disconnected();
        scheduler.after(EXECUTING, () -> reattach(from.connection()));
    }

    private void disconnected() {
        channel = null;
        phase = Phase.LOST;
        delivery.reopen();
        if (stdin.lost() && fed) {
            // Whatever it would make of half its input is not what was asked for.
            stdinLost = true;
            wishes.cancel(Optional.empty());
        }
    }

    private Optional<Channel> live() {
        return phase == Phase.RUNNING ? Optional.ofNullable(channel) : Optional.empty();
    }

    private void running(Channel on, Duration since) {
        phase = Phase.RUNNING;
        drops = 0;
        known = true;
        startedAt = scheduler.nanos() - since.toNanos();
        patience.running(since);
        stdin.attached(on);
        outcome.started();
    }

    /// Called when an answer is overdue.
    private void overdue() {
        locked(() -> {
            if (phase == Phase.OVER) return;
            if (phase == Phase.RUNNING && delivery.isBackedUp()) {
                patience.extend(); // the end comes after the output, which waits for its sink
                return;
            }
            var unanswered = channel;
            settle(new Exit.TransportLost("no answer came from the sandbox in time"));
            if (unanswered != null) {
                unanswered.cancel();
                unanswered.detach();
            }
        });
    }

    private void refuse(Refusal refusal) {
        close();
        outcome.refused(refusal);
        whenOver.accept(this);
    }

    /// Ends it without the keeper's word.
    private void settle(Exit exit) {
        if (request.isEmpty() && !known) {
            // It was only asked for: that it could not be found is not its outcome.
            close();
            outcome.failed(
                    exit instanceof Exit.SandboxLost(var detail)
                            ? new MachineGone(detail)
                            : new GatewayException.BackendUnavailable("ask the sandbox for command " + id));
            whenOver.accept(this);
            return;
        }
        var duration = Duration.ofNanos(scheduler.nanos() - startedAt);
        long stdout = delivery.next(OutputStreamKind.STDOUT);
        long stderr = delivery.next(OutputStreamKind.STDERR);
        finish(new Exit.End(exit, stdout, stderr, duration, 0));
    }

    private void finish(Exit.End end) {
        close();
        outcome.started();
        delivery.finish(() -> {
            outcome.ended(end);
            whenOver.accept(this);
        });
    }

    private void close() {
        phase = Phase.OVER;
        channel = null;
        patience.over();
        stdin.end("the command has ended");
    }

    private void onCurrent(Channel from, Runnable task) {
        locked(() -> {
            if (from == channel) task.run();
        });
    }

    private void locked(Runnable task) {
        lock.lock();
        try {
            task.run();
        } finally {
            lock.unlock();
        }
    }

    private boolean locked(BooleanSupplier task) {
        lock.lock();
        try {
            return task.getAsBoolean();
        } finally {
            lock.unlock();
        }
    }
}
