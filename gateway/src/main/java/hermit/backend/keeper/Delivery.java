package hermit.backend.keeper;

import hermit.exec.ExecId;
import hermit.exec.OutputSink;
import hermit.exec.OutputStreamKind;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings one command's output to its sink: at once where the sink need not wait, and otherwise by a
/// queue that [#WINDOW] bounds, and one virtual thread that calls the sink, so that a slow sink holds
/// up nobody else. What the sink has taken is granted to the keeper again. Outlives connections: the
/// offsets of what came so far are where the next one goes on.
final class Delivery {
    /// Bytes that may be under way or wait here, of both streams together.
    static final int WINDOW = 1 << 20;
    /// Credit is returned in quarters: seldom enough to cost nothing, early enough that the keeper need not wait.
    private static final int RETURN_AT = WINDOW / 4;
    /// More pieces than this are joined within their stream, no matter what the other stream printed in between.
    private static final int MANY_PIECES = 256;
    /// Joined pieces are never this many unless nearly each of them leaves a gap, which no command's output does.
    private static final int TOO_MANY_PIECES = 4_096;

    private static final Logger log = LoggerFactory.getLogger(Delivery.class);

    private final ExecId id;
    private final OutputSink sink;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final ArrayDeque<Piece> queue = new ArrayDeque<>();
    private final Tail stdout;
    private final Tail stderr;
    private int queued;
    private int owed;
    private boolean stopped;
    private boolean sinkFailed;
    private @Nullable Channel channel;
    private @Nullable Piece underway;
    private @Nullable Thread pump;
    private @Nullable Runnable whenDrained;

    Delivery(ExecId id, OutputSink sink, long stdoutOffset, long stderrOffset) {
        this.id = id;
        this.sink = sink;
        this.stdout = new Tail(stdoutOffset);
        this.stderr = new Tail(stderrOffset);
    }

    /// Where one stream has got to.
    private static final class Tail {
        /// Where its next byte is due.
        long next;
        /// Its last piece in the queue.
        @Nullable
        Piece last;

        Tail(long next) {
            this.next = next;
        }
    }

    /// Where the next byte of a stream is due.
    long next(OutputStreamKind stream) {
        lock.lock();
        try {
            return tail(stream).next;
        } finally {
            lock.unlock();
        }
    }

    /// Whether the sink has still to take something.
    boolean isBackedUp() {
        lock.lock();
        try {
            return underway != null || !queue.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /// Forgets the channel, and says what may be granted to the next one.
    int reopen() {
        lock.lock();
        try {
            channel = null;
            owed = 0;
            return WINDOW - queued;
        } finally {
            lock.unlock();
        }
    }

    /// From now on this channel is granted what the sink takes.
    void follow(Channel channel) {
        lock.lock();
        try {
            this.channel = channel;
            returnCredit();
        } finally {
            lock.unlock();
        }
    }

    /// Takes output without waiting. The buffer is this delivery's from here on.
    void add(OutputStreamKind stream, long offset, ByteBuffer bytes) throws BadFrame {
        lock.lock();
        try {
            if (stopped || whenDrained != null) return;
            int length = bytes.remaining();
            var tail = tail(stream);
            tail.next = offset + length;
            queued += length;
            if (underway == null && queue.isEmpty() && offer(stream, offset, bytes)) {
                taken(length);
                return;
            }
            if (!join(tail, offset, bytes)) {
                if (queue.size() >= TOO_MANY_PIECES) throw new BadFrame("output in too many pieces with gaps");
                var piece = new Piece(stream, offset, bytes);
                queue.add(piece);
                tail.last = piece;
            }
            if (pump == null)
                pump = Thread.ofVirtual().name("keeper-output-" + id).start(this::pump);
            else work.signal();
        } finally {
            lock.unlock();
        }
    }

    /// Runs this once all that came has been given to the sink, on whichever thread; nothing is taken after that.
    void finish(Runnable whenDrained) {
        lock.lock();
        try {
            if (stopped) return;
            if (underway != null || !queue.isEmpty()) {
                this.whenDrained = whenDrained;
                return;
            }
            stopped = true;
            work.signal();
        } finally {
            lock.unlock();
        }
        whenDrained.run();
    }

    /// Gives the sink nothing any more; a call that is under way is interrupted.
    void stop() {
        lock.lock();
        try {
            stopped = true;
            queue.clear();
            if (pump != null) pump.interrupt();
        } finally {
            lock.unlock();
        }
    }

    private Tail tail(OutputStreamKind stream) {
        return stream == OutputStreamKind.STDOUT ? stdout : stderr;
    }

    private boolean join(Tail tail, long offset, ByteBuffer bytes) {
        var before = tail.last;
        if (before == null || (before != queue.peekLast() && queue.size() < MANY_PIECES)) return false;
        return before.join(offset, bytes);
    }

    private void pump() {
        while (true) {
            Piece piece;
            Runnable drained = null;
            lock.lock();
            try {
                if (underway != null) taken(underway.size());
                underway = null;
                while (queue.isEmpty() && whenDrained == null && !stopped) work.awaitUninterruptibly();
                if (stopped) return;
                piece = queue.poll();
                underway = piece;
                if (piece == null) {
                    drained = whenDrained;
                    stopped = true;
                } else if (tail(piece.stream()).last == piece) {
                    tail(piece.stream()).last = null;
                }
            } finally {
                lock.unlock();
            }
            if (drained != null) drained.run();
            if (piece == null) return;
            give(piece);
        }
    }

    private boolean offer(OutputStreamKind stream, long offset, ByteBuffer bytes) {
        if (sinkFailed) return true;
        try {
            return sink.offer(stream, offset, bytes);
        } catch (RuntimeException | Error e) {
            failed(e);
            return true;
        }
    }

    private void give(Piece piece) {
        if (sinkFailed) return;
        try {
            sink.output(piece.stream(), piece.offset(), piece.bytes());
        } catch (InterruptedException | RuntimeException | Error e) {
            failed(e);
        }
    }

    private void failed(Throwable e) {
        sinkFailed = true;
        // The command goes on to its end, which its caller still wants to learn.
        if (!isStopped()) log.warn("The sink of command {} failed; the rest of its output is dropped", id, e);
    }

    private boolean isStopped() {
        lock.lock();
        try {
            return stopped;
        } finally {
            lock.unlock();
        }
    }

    private void taken(int bytes) {
        queued -= bytes;
        owed += bytes;
        returnCredit();
    }

    private void returnCredit() {
        if (channel == null || owed < RETURN_AT) return;
        channel.credit(owed);
        owed = 0;
    }
}
