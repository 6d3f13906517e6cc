package hermit.command;

import hermit.command.OutputBuffer.Piece;
import hermit.exec.ExecId;
import hermit.exec.OutputSink;
import hermit.exec.OutputStreamKind;
import hermit.exec.RunningCommand;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// A command that this gateway watches: its output so far, whoever follows it, and its end. Followers pull; one that
/// holds the command makes it wait when it is more than a ring behind, until it has not moved for [#PATIENCE].
public final class LiveExec implements OutputSink {
    /// A reader that takes nothing for so long, or up to twice as long, is not slow but gone: the command goes on
    /// without it.
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final int PIECE = 64 << 10;
    /// Output that had to wait goes on when the slowest of those that hold the command has so much room again: to wake
    /// it for each piece would take longer than the piece.
    private static final int ENOUGH_ROOM = OutputBuffer.RING / 2;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /// For output that waits for those who hold the command.
    private final Condition room = lock.newCondition();
    private final OutputBuffer stdout;
    private final OutputBuffer stderr;
    private final List<Follower> holding = new ArrayList<>();
    private ExecRecord record;
    private Optional<RunningCommand> running = Optional.empty();
    private boolean cancelAsked;

    LiveExec(ExecRecord record) {
        this.record = record;
        this.stdout = new OutputBuffer(record.maxOutputBytes());
        this.stderr = new OutputBuffer(record.maxOutputBytes());
    }

    /// The newest output that a follower may still begin with: `bytes` from the end of stdout, or as many as there are.
    long latest(int bytes) {
        lock.lock();
        try {
            return Math.max(0, stdout.total() - bytes);
        } finally {
            lock.unlock();
        }
    }

    /// What a follower learns next.
    public sealed interface Event {
        /// `offset` is that of the first byte in its stream.
        @SuppressWarnings("ArrayRecordComponent")
        record Output(OutputStreamKind stream, long offset, byte[] bytes) implements Event {}

        /// Output between what the follower had and this offset is not held any more.
        record Gap(OutputStreamKind stream, long offset) implements Event {}

        /// All output has been followed, and this is the end.
        record End(ExecRecord record) implements Event {}

        /// Nothing happened for as long as was asked to wait.
        record Nothing() implements Event {}
    }

    public ExecId id() {
        return record().id();
    }

    public ExecRecord record() {
        lock.lock();
        try {
            return record;
        } finally {
            lock.unlock();
        }
    }

    /// Waits until it has ended, at most for `patience`; empty if it runs on.
    public Optional<ExecRecord> awaitEnd(Duration patience) throws InterruptedException {
        long left = patience.toNanos();
        lock.lockInterruptibly();
        try {
            while (record.outcome().isEmpty() && left > 0) left = changed.awaitNanos(left);
            return record.outcome().isPresent() ? Optional.of(record) : Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /// Waits until it has ended, however long that takes.
    public ExecRecord awaitEnd() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (record.outcome().isEmpty()) changed.await();
            return record;
        } finally {
            lock.unlock();
        }
    }

    /// Follows from these offsets. With `hold`, the command waits for this follower rather than losing output for it;
    /// one that nobody reads with is given up like one whose reader has gone.
    public Follower follow(long fromStdout, long fromStderr, boolean hold) {
        lock.lock();
        try {
            var follower = new Follower(fromStdout, fromStderr);
            if (hold) holding.add(follower);
            return follower;
        } finally {
            lock.unlock();
        }
    }

    /// Up to `max` bytes of a stream from an offset, if they are (still) held.
    Optional<Piece> read(OutputStreamKind stream, long from, int max) {
        lock.lock();
        try {
            return buffer(stream).read(from, max);
        } finally {
            lock.unlock();
        }
    }

    StoredOutput heads() {
        lock.lock();
        try {
            return new StoredOutput(stdout.head(), stderr.head());
        } finally {
            lock.unlock();
        }
    }

    long total(OutputStreamKind stream) {
        lock.lock();
        try {
            return buffer(stream).total();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void output(OutputStreamKind stream, long offset, ByteBuffer bytes) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (bytes.hasRemaining()) {
                int take = Math.min(bytes.remaining(), PIECE);
                awaitHolders(stream, take);
                var piece = bytes.duplicate().limit(bytes.position() + take);
                buffer(stream).append(offset, piece);
                bytes.position(bytes.position() + take);
                offset += take;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean offer(OutputStreamKind stream, long offset, ByteBuffer bytes) {
        lock.lock();
        try {
            if (!holding.isEmpty() && buffer(stream).room(slowest(stream)) < bytes.remaining()) return false;
            buffer(stream).append(offset, bytes);
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /// A line of the gateway's own at the end of stderr.
    void diagnose(String line) {
        lock.lock();
        try {
            stderr.append(stderr.total(), ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8)));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// The streams' lengths as the machine counted them.
    void counted(long stdoutBytes, long stderrBytes) {
        lock.lock();
        try {
            stdout.endAt(stdoutBytes);
            stderr.endAt(stderrBytes);
        } finally {
            lock.unlock();
        }
    }

    void started(ExecRecord now, RunningCommand command) {
        boolean cancelNow;
        lock.lock();
        try {
            record = now;
            running = Optional.of(command);
            cancelNow = cancelAsked;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (cancelNow) command.cancel();
    }

    void ended(ExecRecord now) {
        lock.lock();
        try {
            record = now;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    Optional<RunningCommand> running() {
        lock.lock();
        try {
            return record.outcome().isPresent() ? Optional.empty() : running;
        } finally {
            lock.unlock();
        }
    }

    /// Cancels it now, or as soon as it has been started.
    void cancel() {
        Optional<RunningCommand> command;
        lock.lock();
        try {
            cancelAsked = true;
            command = running;
        } finally {
            lock.unlock();
        }
        command.ifPresent(RunningCommand::cancel);
    }

    private OutputBuffer buffer(OutputStreamKind stream) {
        return stream == OutputStreamKind.STDOUT ? stdout : stderr;
    }

    private void awaitHolders(OutputStreamKind stream, int take) throws InterruptedException {
        long left = PATIENCE.toNanos();
        long slowest = slowest(stream);
        while (!holding.isEmpty() && buffer(stream).room(slowest) < take) {
            left = room.awaitNanos(left);
            long now = slowest(stream);
            if (now != slowest) left = PATIENCE.toNanos();
            slowest = now;
            if (left <= 0) holding.removeIf(each -> buffer(stream).room(each.position(stream)) < take);
        }
    }

    private long slowest(OutputStreamKind stream) {
        return holding.stream().mapToLong(each -> each.position(stream)).min().orElse(Long.MAX_VALUE);
    }

    /// One reader's place in both streams. Used by one thread.
    public final class Follower implements AutoCloseable {
        private long stdoutAt;
        private long stderrAt;
        private boolean stderrFirst;
        private boolean nudged;

        private Follower(long stdoutAt, long stderrAt) {
            this.stdoutAt = stdoutAt;
            this.stderrAt = stderrAt;
        }

        /// The next event, waited for at most `patience`.
        public Event next(Duration patience) throws InterruptedException {
            long left = patience.toNanos();
            lock.lockInterruptibly();
            try {
                while (true) {
                    Optional<Event> output = output();
                    if (output.isPresent()) return output.get();
                    if (nudged) {
                        nudged = false;
                        return new Event.Nothing();
                    }
                    if (record.outcome().isPresent()) return new Event.End(record);
                    if (left <= 0) return new Event.Nothing();
                    left = changed.awaitNanos(left);
                }
            } finally {
                lock.unlock();
            }
        }

        /// Whether the command waits for this follower from now on, rather than losing output for it.
        void hold(boolean now) {
            lock.lock();
            try {
                holding.remove(this);
                if (now) holding.add(this);
                room.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /// Makes [#next] return with [Event.Nothing], now or the next time that there is no output.
        void nudge() {
            lock.lock();
            try {
                nudged = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /// How far each stream has been followed.
        public long position(OutputStreamKind stream) {
            return stream == OutputStreamKind.STDOUT ? stdoutAt : stderrAt;
        }

        /// Takes the streams in turn, so that neither starves the other.
        private Optional<Event> output() {
            stderrFirst = !stderrFirst;
            var first = stderrFirst ? OutputStreamKind.STDERR : OutputStreamKind.STDOUT;
            var second = stderrFirst ? OutputStreamKind.STDOUT : OutputStreamKind.STDERR;
            return output(first).or(() -> output(second));
        }

        private Optional<Event> output(OutputStreamKind stream) {
            long at = position(stream);
            return buffer(stream).read(at, PIECE).map(piece -> {
                if (piece.offset() > at) {
                    moveTo(stream, piece.offset());
                    return new Event.Gap(stream, piece.offset());
                }
                moveTo(stream, at + piece.bytes().length);
                return new Event.Output(stream, at, piece.bytes());
            });
        }

        private void moveTo(OutputStreamKind stream, long position) {
            if (stream == OutputStreamKind.STDOUT) stdoutAt = position;
            else stderrAt = position;
            if (!holding.isEmpty() && buffer(stream).room(slowest(stream)) >= ENOUGH_ROOM) room.signalAll();
        }

        @Override
        public void close() {
            lock.lock();
            try {
                holding.remove(this);
                room.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}
