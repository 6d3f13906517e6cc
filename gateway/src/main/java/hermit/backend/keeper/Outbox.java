package hermit.backend.keeper;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// What waits to be written to one bridge. Frames are put here by anyone, without blocking, and one thread writes all
/// that has gathered in one call. No caller ever touches the stream itself: an interrupt in the middle of a write would
/// close it for all commands, and the reader must go on reading when the other side does not.
final class Outbox {
    /// More than this waits only because the other side does not read; large requests then wait before they are added.
    private static final int PLENTY = 256 << 10;
    /// Nobody reads any more. Above what large requests that had been let in at once may add up to.
    private static final int TOO_MUCH = 64 << 20;

    private static final int SMALL = 4 << 10;
    static final String NOT_READ = "the keeper does not read what it is sent";

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final Condition room = lock.newCondition();
    private byte[] waiting = new byte[SMALL];
    private byte[] spare = new byte[SMALL];
    private int size;
    private boolean urgent;
    private boolean closed;

    /// Adds a frame. Nothing happens once this is closed: the connection's followers learn that it is lost.
    void put(FrameType type, int channel, byte[] payload, int offset, int length) {
        lock.lock();
        try {
            add(type, channel, payload, offset, length);
            hurry();
        } finally {
            lock.unlock();
        }
    }

    void put(FrameType type, int channel, byte[] payload) {
        put(type, channel, payload, 0, payload.length);
    }

    /// Adds a frame that may wait until another one is written: it costs no write of its own.
    void putLazily(FrameType type, int channel, byte[] payload) {
        lock.lock();
        try {
            add(type, channel, payload, 0, payload.length);
            if (size > SMALL) hurry();
        } finally {
            lock.unlock();
        }
    }

    /// Adds a request that may be longer than one frame.
    void putLong(FrameType last, FrameType before, int channel, byte[] payload) {
        lock.lock();
        try {
            int at = 0;
            for (; payload.length - at > Frame.MOST_PAYLOAD; at += Frame.MOST_PAYLOAD)
                add(before, channel, payload, at, Frame.MOST_PAYLOAD);
            add(last, channel, payload, at, payload.length - at);
            hurry();
        } finally {
            lock.unlock();
        }
    }

    /// Waits until what is there has mostly been written, or this is closed.
    void awaitRoom() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (size > PLENTY && !closed) room.await();
        } finally {
            lock.unlock();
        }
    }

    /// Writes until this is closed. `written` runs after each write.
    void writeTo(OutputStream out, Runnable written) throws IOException, InterruptedException {
        while (true) {
            byte[] bytes;
            int length;
            lock.lockInterruptibly();
            try {
                while (!urgent && !closed) work.await();
                if (closed) return;
                if (size > TOO_MUCH) throw new IOException(NOT_READ);
                bytes = waiting;
                length = size;
                waiting = spare;
                size = 0;
                urgent = false;
                room.signalAll();
            } finally {
                lock.unlock();
            }
            out.write(bytes, 0, length);
            out.flush();
            written.run();
            spare = bytes.length > PLENTY ? new byte[SMALL] : bytes;
        }
    }

    /// Whether so much waits that frames have been left out.
    boolean overflowed() {
        lock.lock();
        try {
            return size > TOO_MUCH;
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            size = 0;
            work.signalAll();
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void hurry() {
        urgent = true;
        work.signal();
    }

    private void add(FrameType type, int channel, byte[] payload, int offset, int length) {
        if (closed || size > TOO_MUCH) return;
        int needed = size + Frame.HEADER + length;
        if (needed > waiting.length) waiting = Arrays.copyOf(waiting, Math.max(needed, 2 * waiting.length));
        int at = size;
        at = putInt(at, Frame.COUNTED_HEADER + length);
        waiting[at++] = type.code();
        at = putInt(at, channel);
        System.arraycopy(payload, offset, waiting, at, length);
        size = needed;
    }

    private int putInt(int at, int value) {
        waiting[at] = (byte) (value >>> 24);
        waiting[at + 1] = (byte) (value >>> 16);
        waiting[at + 2] = (byte) (value >>> 8);
        waiting[at + 3] = (byte) value;
        return at + 4;
    }
}
