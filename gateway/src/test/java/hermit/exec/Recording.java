package hermit.exec;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Keeps all that a command prints. Fails on a gap.
public final class Recording implements OutputSink {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition more = lock.newCondition();

    @Override
    public void output(OutputStreamKind stream, long offset, ByteBuffer bytes) {
        lock.lock();
        try {
            var to = stream == OutputStreamKind.STDOUT ? out : err;
            if (to.size() != offset)
                throw new AssertionError("%s goes on at %d, not at %d".formatted(stream, offset, to.size()));
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy);
            to.writeBytes(copy);
            more.signalAll();
        } finally {
            lock.unlock();
        }
    }

    public byte[] stdoutBytes() {
        lock.lock();
        try {
            return out.toByteArray();
        } finally {
            lock.unlock();
        }
    }

    public byte[] stderrBytes() {
        lock.lock();
        try {
            return err.toByteArray();
        } finally {
            lock.unlock();
        }
    }

    public String stdout() {
        return new String(stdoutBytes(), StandardCharsets.UTF_8);
    }

    public String stderr() {
        return new String(stderrBytes(), StandardCharsets.UTF_8);
    }

    /// Waits until stdout holds this text.
    public void awaitStdout(String text) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = TimeUnit.SECONDS.toNanos(30);
            while (!out.toString(StandardCharsets.UTF_8).contains(text)) {
                if (left <= 0) throw new AssertionError("no '%s' in: %s".formatted(text, out));
                left = more.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }
}
