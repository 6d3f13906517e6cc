package hermit.command;

import hermit.exec.Exit;
import hermit.exec.OutputSink;
import hermit.exec.OutputStreamKind;
import hermit.exec.RunningCommand;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.Forbidden;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.GatewayException.NotFound;
import hermit.problem.GatewayException.ProviderError;
import hermit.problem.GatewayException.Refused;
import hermit.problem.ProblemCode;
import hermit.sandbox.Machines;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// One file operation under way: its stdout waits here in a bounded queue until it is taken, which holds the
/// operation back in the sandbox when nobody takes; its stderr says what
/// went wrong.
final class FileRun implements OutputSink, AutoCloseable {
    /// What may wait to be taken.
    private static final int QUEUE = 1 << 20;

    private static final int LONGEST_COMPLAINT = 4_096;

    private final String path;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<byte[]> queue = new ArrayDeque<>();
    private final ByteArrayOutputStream complaint = new ByteArrayOutputStream();
    private int queued;
    private long expected;
    private boolean gap;
    private boolean closed;
    private Optional<Exit> exit = Optional.empty();
    private Optional<RunningCommand> running = Optional.empty();

    FileRun(String path) {
        this.path = path;
    }

    /// From now on the end is waited for, and the sandbox is in use until then.
    void watch(RunningCommand command, Machines.Use held) {
        running = Optional.of(command);
        Thread.ofVirtual().name("file-operation").start(() -> {
            Exit how;
            try {
                how = command.await().exit();
            } catch (InterruptedException e) {
                how = new Exit.TransportLost("interrupted");
            } catch (RuntimeException e) {
                how = new Exit.TransportLost(String.valueOf(e.getMessage()));
            }
            held.close();
            end(how);
        });
    }

    RunningCommand command() {
        return running.orElseThrow();
    }

    @Override
    public void output(OutputStreamKind stream, long offset, ByteBuffer bytes) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (stream == OutputStreamKind.STDERR) {
                byte[] text = new byte[Math.min(bytes.remaining(), LONGEST_COMPLAINT - complaint.size())];
                bytes.get(text);
                complaint.writeBytes(text);
                return;
            }
            while (queued > QUEUE && !closed) changed.await();
            if (closed) return;
            gap |= offset != expected;
            expected = offset + bytes.remaining();
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy);
            queue.add(copy);
            queued += copy.length;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// The next piece of stdout; empty at the end of an operation that succeeded. Throws what went wrong.
    Optional<byte[]> take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (queue.isEmpty() && exit.isEmpty()) changed.await();
            if (gap) throw new ProviderError("read %s in the sandbox: bytes are missing".formatted(path));
            byte[] next = queue.poll();
            if (next != null) {
                queued -= next.length;
                changed.signalAll();
                return Optional.of(next);
            }
            Exit how = exit.orElseThrow();
            if (how instanceof Exit.Exited(int code) && code == 0) return Optional.empty();
            throw failure(how);
        } finally {
            lock.unlock();
        }
    }

    /// All of stdout, which must not be more than `limit`.
    byte[] takeAll(int limit) throws InterruptedException {
        var all = new ByteArrayOutputStream();
        for (Optional<byte[]> next = take(); next.isPresent(); next = take()) {
            all.writeBytes(next.get());
            if (all.size() > limit) throw new ProviderError("the sandbox said more than a file operation has to say");
        }
        return all.toByteArray();
    }

    /// Ends the operation if it still runs.
    @Override
    public void close() {
        boolean over;
        lock.lock();
        try {
            closed = true;
            over = exit.isPresent();
            queue.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (!over) running.ifPresent(RunningCommand::cancel);
    }

    private void end(Exit how) {
        lock.lock();
        try {
            exit = Optional.of(how);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private GatewayException failure(Exit how) {
        if (!(how instanceof Exit.Exited))
            return new BackendUnavailable("the file operation on %s did not end by itself: %s".formatted(path, how));
        String[] said = complaint.toString(StandardCharsets.UTF_8).strip().split("\t", 2);
        String message = said.length > 1 ? said[1] : Arrays.toString(said);
        return switch (said[0]) {
            case "not_found" -> new NotFound("No such file: " + path);
            case "exists", "not_empty" -> new Conflict("%s: %s".formatted(path, message));
            case "not_a_directory", "is_a_directory", "bad_path", "bad_archive" ->
                new Invalid("path", "%s: %s".formatted(path, message));
            case "denied" -> new Forbidden("The sandbox's user may not do that: %s: %s".formatted(path, message));
            case "too_large", "limit", "no_space" ->
                new Refused(ProblemCode.TOO_LARGE, "%s: %s".formatted(path, message));
            default -> new ProviderError("file operation on %s: %s".formatted(path, message));
        };
    }
}
