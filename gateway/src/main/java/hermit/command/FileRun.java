package hermit.command;

import hermit.exec.Exit;
import hermit.exec.OutputSink;
import hermit.exec.OutputStreamKind;
import hermit.exec.RunningCommand;
import hermit.sandbox.Machines;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One file operation in a sandbox, from its start to its end. Its stdout goes to a [FileOutput]; what
/// it says on stderr tells why it failed. The sandbox is in use until it has ended, and closing it
/// early ends it there.
final class FileRun implements OutputSink, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(FileRun.class);
    private static final int LONGEST_COMPLAINT = 4_096;
    private static final int PIECE = 64 << 10;

    private final String path;
    private final FileOutput stdout;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ByteArrayOutputStream complaint = new ByteArrayOutputStream();
    private Optional<RunningCommand> running = Optional.empty();
    private Optional<Exit.End> end = Optional.empty();
    private boolean cancelled;

    /// `path` is only for messages.
    FileRun(String path, FileOutput stdout) {
        this.path = path;
        this.stdout = stdout;
    }

    /// From now on the end is waited for; then `use` is closed and `ended` runs.
    void started(RunningCommand command, Machines.Use use, Runnable ended) {
        boolean cancelNow;
        lock.lock();
        try {
            running = Optional.of(command);
            cancelNow = cancelled;
        } finally {
            lock.unlock();
        }
        if (cancelNow) command.cancel();
        Thread.ofVirtual().name("file-operation").start(() -> {
            Exit.End how = await(command);
            try (use) {
                ended.run();
            } catch (RuntimeException e) {
                log.warn("after the file operation on {}: {}", path, e.toString());
            } finally {
                end(how);
            }
        });
    }

    private static Exit.End await(RunningCommand command) {
        try {
            return command.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return lost("the gateway is shutting down");
        } catch (RuntimeException e) {
            return lost(String.valueOf(e.getMessage()));
        }
    }

    private static Exit.End lost(String detail) {
        return new Exit.End(new Exit.TransportLost(detail), 0, 0, Duration.ZERO, 0);
    }

    @Override
    public void output(OutputStreamKind stream, long offset, ByteBuffer bytes) throws InterruptedException {
        if (stream == OutputStreamKind.STDOUT) stdout.add(offset, bytes);
        else complain(bytes);
    }

    /// Sends all of `content` to the operation, at its pace. Returns early if it takes no more: the end then says why.
    /// What `content` throws is passed on, and then stdin is not closed: the operation must not take a part for the
    /// whole.
    void feed(InputStream content) throws IOException {
        byte[] buffer = new byte[PIECE];
        OutputStream stdin = command().stdin();
        while (true) {
            int length = content.read(buffer);
            try {
                if (length < 0) {
                    stdin.close();
                    return;
                }
                stdin.write(buffer, 0, length);
            } catch (IOException e) {
                // It has ended, or the way to it broke: then it would wait for the rest for ever.
                log.debug("file operation on {}: {}", path, e.getMessage());
                close();
                return;
            }
        }
    }

    /// Waits for its end. Throws what went wrong.
    void awaitSuccess() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (end.isEmpty()) changed.await();
            if (end.get().exit().equals(new Exit.Exited(0))) return;
            throw FileFailure.of(path, end.get(), complaint.toString(StandardCharsets.UTF_8));
        } finally {
            lock.unlock();
        }
    }

    /// Ends it if it still runs, within [ExecBackend#KILL_GRACE]. Does not wait.
    @Override
    public void close() {
        Optional<RunningCommand> ending;
        lock.lock();
        try {
            cancelled = true;
            ending = end.isPresent() ? Optional.empty() : running;
        } finally {
            lock.unlock();
        }
        stdout.close();
        ending.ifPresent(RunningCommand::cancel);
    }

    private RunningCommand command() {
        lock.lock();
        try {
            return running.orElseThrow();
        } finally {
            lock.unlock();
        }
    }

    private void complain(ByteBuffer bytes) {
        lock.lock();
        try {
            byte[] text = new byte[Math.min(bytes.remaining(), LONGEST_COMPLAINT - complaint.size())];
            bytes.get(text);
            complaint.writeBytes(text);
        } finally {
            lock.unlock();
        }
    }

    private void end(Exit.End how) {
        lock.lock();
        try {
            end = Optional.of(how);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        stdout.ended();
    }
}
