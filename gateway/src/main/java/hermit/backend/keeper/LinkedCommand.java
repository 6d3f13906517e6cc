package hermit.backend.keeper;

import hermit.exec.Command.Terminal;
import hermit.exec.ExecBackend;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One command over as many connections as it takes. Started or found again over the first, attached again over each
/// further one from where its output stopped, until it is known how it ended or nothing can be learned any more.
final class LinkedCommand implements RunningCommand, Follower {
    /// How long an answer is waited for that no deadline of the command bounds.
    static final Duration PATIENCE = Duration.ofSeconds(60);

    /// A keeper that goes on giving up a channel is not asked for ever.
    private static final int MOST_DROPS = 3;
    /// Signals that wait for a connection; more than anybody sends on purpose.
    private static final int MOST_SIGNALS = 16;

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
    /// Done once it is known whether the command runs: empty if it does or did, else why it was not started or found.
    private final CompletableFuture<Optional<Refusal>> answer = new CompletableFuture<>();

    private final CompletableFuture<Exit.End> outcome = new CompletableFuture<>();

    /// Guards all that follows. Never held while a sink, a stream or a thread is waited for.
    private final ReentrantLock lock = new ReentrantLock();

    private Phase phase = Phase.NEW;
    /// Whether it is known to have been started.
    private boolean known;

    private @Nullable Channel channel;
    private @Nullable UUID boot;
    private Optional<Refusal> startDropped = Optional.empty();
    private int drops;
    private long startedAt;
    private Scheduler.Task timer = Scheduler.Task.NONE;
    private boolean cancelled;
    /// Its stdin is known from the start, and written by us.
    private boolean fed;

    private boolean stdinLost;
    private final List<Integer> signals = new ArrayList<>();
    private Optional<Terminal> size = Optional.empty();

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
        lock.lock();
        try {
            if (phase != Phase.NEW) return true;
            boolean asked = request.isPresent() ? askStart(connection, request.get()) : askAttach(connection);
            if (asked) arm(shorter(PATIENCE, deadlineIn(Duration.ZERO)));
            else phase = Phase.NEW;
            return asked;
        } finally {
            lock.unlock();
        }
    }

    /// Waits until it is known whether the command runs; see [#answer].
    Optional<Refusal> awaitAnswer() throws InterruptedException, MachineGone {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof MachineGone gone) throw new MachineGone(messageOf(gone), gone);
            if (e.getCause() instanceof GatewayException problem) throw problem;
            throw new IllegalStateException(messageOf(e.getCause()), e);
        }
    }

    boolean isLost() {
        lock.lock();
        try {
            return phase == Phase.LOST;
        } finally {
            lock.unlock();
        }
    }

    /// Follows the command over this connection, if it has none.
    void reattach(KeeperConnection connection) {
        lock.lock();
        try {
            if (phase != Phase.LOST) return;
            boolean mayHaveRun = known || request.isPresent();
            if (mayHaveRun && !connection.hello().boot().equals(boot))
                settle(new Exit.SandboxLost("the sandbox was restarted while the command ran"));
            else askAttach(connection);
        } finally {
            lock.unlock();
        }
    }

    /// The machine is certainly not there any more.
    void machineGone(MachineGone gone) {
        lock.lock();
        try {
            if (phase == Phase.LOST) settle(new Exit.SandboxLost(messageOf(gone)));
        } finally {
            lock.unlock();
        }
    }

    /// The gateway lets go of the link: the command goes on, unwatched.
    void abandon(String why) {
        lock.lock();
        try {
            if (phase == Phase.OVER && outcome.isDone()) return;
            close();
            delivery.stop();
            answer.completeExceptionally(new IllegalStateException(why));
            outcome.completeExceptionally(new IllegalStateException(why));
        } finally {
            lock.unlock();
        }
    }

    /// Writes all of it to stdin, then closes that.
    void feed(byte[] bytes) {
        lock.lock();
        try {
            fed = true;
        } finally {
            lock.unlock();
        }
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
        try {
            return outcome.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(messageOf(e.getCause()), e);
        }
    }

    @Override
    public void cancel() {
        lock.lock();
        try {
            cancelled = true;
            if (phase == Phase.RUNNING && channel != null) channel.cancel();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void signal(int signal) {
        if (signal < 1 || signal > LAST_SIGNAL) throw new IllegalArgumentException("no signal " + signal);
        lock.lock();
        try {
            if (phase == Phase.RUNNING && channel != null) channel.signal(signal);
            else if (phase != Phase.OVER && signals.size() < MOST_SIGNALS) signals.add(signal);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public OutputStream stdin() {
        return stdin;
    }

    @Override
    public void resize(Terminal size) {
        lock.lock();
        try {
            this.size = Optional.of(size);
            if (phase == Phase.RUNNING && channel != null) channel.resize(size);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void detach() {
        lock.lock();
        try {
            if (outcome.isDone()) return;
            if (channel != null) channel.detach();
            abandon("command %s is not followed any more".formatted(id));
        } finally {
            lock.unlock();
        }
        whenOver.accept(this);
    }

    // --- Follower

    @Override
    public void started(Channel from) {
        lock.lock();
        try {
            if (from != channel) return;
            running(from, Duration.ZERO);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void attached(Channel from, Attached attached) {
        lock.lock();
        try {
            if (from != channel) return;
            running(from, Duration.ofMillis(attached.sinceStartMillis()));
            if (cancelled) from.cancel();
            signals.forEach(from::signal);
            signals.clear();
            size.ifPresent(from::resize);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void refused(Channel from, Refusal refusal) {
        lock.lock();
        try {
            if (from != channel) return;
            var connection = from.connection();
            channel = null;
            boolean startAsked = phase == Phase.START_ASKED;
            if (startAsked && refusal.code() == Refusal.Code.ALREADY_STARTED) askAttach(connection);
            else if (startAsked || (request.isEmpty() && !known)) refuse(refusal);
            else if (known) settle(new Exit.TransportLost("the sandbox forgot the command: " + refusal));
            else if (refusal.code() != Refusal.Code.UNKNOWN_EXEC)
                settle(new Exit.TransportLost("whether the command was started is unknown: " + refusal));
            else if (startDropped.isPresent()) refuse(startDropped.get());
            else askStart(connection, request.orElseThrow()); // the first START never arrived
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void dropped(Channel from, Refusal refusal) {
        lock.lock();
        try {
            if (from != channel) return;
            channel = null;
            if (phase == Phase.START_ASKED) startDropped = Optional.of(refusal);
            if (refusal.code() == Refusal.Code.UNKNOWN_EXEC || ++drops > MOST_DROPS)
                settle(new Exit.TransportLost("the sandbox stopped reporting on the command: " + refusal));
            else askAttach(from.connection());
        } finally {
            lock.unlock();
        }
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
        lock.lock();
        try {
            if (from != channel) return;
            channel = null;
            var end = ended.toEnd();
            if (stdinLost) {
                var exit = new Exit.TransportLost("its stdin was cut short when the connection broke");
                end = new Exit.End(exit, end.stdoutBytes(), end.stderrBytes(), end.duration(), end.oomKills());
            }
            finish(end);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void lost(Channel from, IOException why) {
        lock.lock();
        try {
            if (from != channel) return;
            boolean wasRunning = phase == Phase.RUNNING;
            channel = null;
            phase = Phase.LOST;
            delivery.reopen();
            if (stdin.lost() && fed) {
                // Whatever it would make of half its input is not what was asked for.
                stdinLost = true;
                cancelled = true;
            }
            // Otherwise the timer of the deadline, or of the answer that is still missing, goes on.
            if (wasRunning && timeout().isEmpty()) arm(PATIENCE);
        } finally {
            lock.unlock();
        }
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

    private void running(Channel on, Duration since) {
        phase = Phase.RUNNING;
        drops = 0;
        known = true;
        startedAt = scheduler.nanos() - since.toNanos();
        timer.cancel();
        if (timeout().isPresent()) arm(deadlineIn(since));
        stdin.attached(on);
        answer.complete(Optional.empty());
    }

    private Optional<Duration> timeout() {
        return request.flatMap(StartRequest::timeout);
    }

    /// When an answer is overdue that should come by the command's own deadline.
    private Duration deadlineIn(Duration since) {
        return timeout()
                .map(each -> each.plus(ExecBackend.GRACE).minus(since))
                .map(each -> each.isNegative() ? Duration.ZERO : each)
                .orElse(PATIENCE);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private void arm(Duration delay) {
        timer.cancel();
        timer = scheduler.after(delay, this::overdue);
    }

    private void overdue() {
        lock.lock();
        try {
            if (phase == Phase.OVER) return;
            if (phase == Phase.RUNNING && delivery.isBackedUp()) {
                arm(ExecBackend.GRACE); // the end comes after the output, which waits for us
                return;
            }
            var lost = channel;
            settle(new Exit.TransportLost("no answer came from the sandbox in time"));
            if (lost != null) {
                lost.cancel();
                lost.detach();
            }
        } finally {
            lock.unlock();
        }
    }

    private void refuse(Refusal refusal) {
        close();
        answer.complete(Optional.of(refusal));
        outcome.completeExceptionally(new IllegalStateException("the command does not run: " + refusal));
        whenOver.accept(this);
    }

    /// Ends it without the keeper's word.
    private void settle(Exit exit) {
        if (request.isEmpty() && !known) {
            // It was only asked for: that it could not be found is not its outcome.
            close();
            answer.completeExceptionally(
                    switch (exit) {
                        case Exit.SandboxLost(var detail) -> new MachineGone(detail);
                        default -> new GatewayException.BackendUnavailable("ask the sandbox for command " + id);
                    });
            outcome.completeExceptionally(new IllegalStateException("the command was not found"));
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
        answer.complete(Optional.empty());
        delivery.finish(() -> {
            outcome.complete(end);
            whenOver.accept(this);
        });
    }

    private void close() {
        phase = Phase.OVER;
        channel = null;
        timer.cancel();
        stdin.end("the command has ended");
    }

    private static String messageOf(@Nullable Throwable e) {
        return e == null ? "" : String.valueOf(e.getMessage());
    }
}
