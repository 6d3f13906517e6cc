package hermit.backend.keeper;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A command's stdin. A writer waits while the command does not read, and while its connection is being replaced.
///
/// Bytes that were sent shortly before a connection broke may have arrived or not: to send them again could double
/// them, and to go on without them could lose them. So each batch is followed by a ping whose answer proves that the
/// keeper has it, and a break before that answer breaks the stdin.
final class CommandStdin extends OutputStream {
    /// What the keeper takes on a new channel before it says more.
    private static final long FIRST_WINDOW = 65_536;

    private static final String IN_DOUBT =
            "the connection to the sandbox broke while stdin was being sent: how much of it arrived is unknown";

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private @Nullable Channel channel;
    private long credit;
    /// Bytes, and one more for the end. What is proven to have arrived is counted in the same way.
    private long sent;

    private long proven;
    private boolean proofAsked;
    private boolean closed;
    private boolean endSent;
    private boolean broken;
    /// Why nothing can be written any more; empty as long as it can.
    private String over = "";

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        lock.lock();
        try {
            int at = offset;
            while (at < offset + length) {
                var to = awaitCredit();
                int part = (int) Math.min(Math.min(credit, Frame.MOST_PAYLOAD), offset + length - at);
                to.stdin(bytes, at, part);
                credit -= part;
                sent += part;
                at += part;
            }
            askForProof();
        } finally {
            lock.unlock();
        }
    }

    /// Closes the command's stdin once it has taken what was written. Does not wait for that.
    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            if (broken && !closed) throw new IOException(IN_DOUBT);
            if (closed || !over.isEmpty()) return;
            closed = true;
            changed.signalAll();
            sendEnd();
        } finally {
            lock.unlock();
        }
    }

    /// The command can be written to over this channel.
    void attached(Channel channel) {
        lock.lock();
        try {
            this.channel = channel;
            credit = FIRST_WINDOW;
            if (endSent && proven < sent) {
                sent--;
                endSent = false;
            }
            // Not if bytes are missing: the command would take what it has for the whole.
            if (closed && !broken && !endSent) sendEnd();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void credit(long bytes) {
        lock.lock();
        try {
            credit = Math.min(credit + bytes, Integer.MAX_VALUE);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// The connection is gone. True if it took bytes along, so that this stdin is of no use any more.
    boolean lost() {
        lock.lock();
        try {
            channel = null;
            proofAsked = false;
            long bytes = endSent ? sent - 1 : sent;
            if (over.isEmpty() && proven < bytes) {
                broken = true;
                end(IN_DOUBT);
            }
            return broken;
        } finally {
            lock.unlock();
        }
    }

    /// Nobody reads any more.
    void end(String why) {
        lock.lock();
        try {
            if (over.isEmpty()) over = why;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private Channel awaitCredit() throws IOException {
        while (true) {
            if (!over.isEmpty()) throw new IOException(over);
            if (closed) throw new IOException("stdin has been closed");
            if (channel != null && credit > 0) return channel;
            try {
                changed.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while the command did not read its stdin");
            }
        }
    }

    private void sendEnd() {
        if (channel == null) return; // sent once there is one
        channel.stdinEnd();
        endSent = true;
        sent++;
        askForProof();
    }

    private void askForProof() {
        var asked = channel;
        if (proofAsked || asked == null || proven == sent) return;
        proofAsked = true;
        long mark = sent;
        // A lost connection needs no answer here: it is told by lost().
        var _ = asked.connection().ping().thenRun(() -> proven(asked, mark));
    }

    private void proven(Channel by, long mark) {
        lock.lock();
        try {
            if (channel != by) return;
            proofAsked = false;
            proven = mark;
            askForProof();
        } finally {
            lock.unlock();
        }
    }
}
