package hermit.command;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The bytes of a file on their way from the sandbox to whoever takes them. A bounded number waits here; when nobody
/// takes, the operation is held back in the sandbox.
final class FilePieces implements FileOutput {
    /// In bytes. About what a local connection carries in 10 ms.
    private static final int MOST_WAITING = 1 << 20;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<byte[]> waiting = new ArrayDeque<>();
    private int size;
    private long next;
    private boolean gap;
    private boolean ended;
    private boolean closed;

    @Override
    public void add(long offset, ByteBuffer bytes) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (size >= MOST_WAITING && !closed) changed.await();
            if (closed) return;
            gap |= offset != next;
            next = offset + bytes.remaining();
            byte[] piece = new byte[bytes.remaining()];
            bytes.get(piece);
            waiting.add(piece);
            size += piece.length;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// The next piece; empty once all have been taken and nothing more comes, or bytes are missing.
    Optional<byte[]> take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (waiting.isEmpty() && !ended && !closed && !gap) changed.await();
            if (gap || closed || waiting.isEmpty()) return Optional.empty();
            byte[] piece = waiting.remove();
            size -= piece.length;
            changed.signalAll();
            return Optional.of(piece);
        } finally {
            lock.unlock();
        }
    }

    /// Whether bytes were lost on the way, so that what was taken is not the whole.
    boolean hasGap() {
        lock.lock();
        try {
            return gap;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void ended() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            waiting.clear();
            size = 0;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
