package hermit.backend.keeper;

import hermit.exec.MachineGone;
import hermit.problem.GatewayException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Holds the one connection of a link, and opens another when it is gone: one attempt at a time, whoever asks, and
/// after failures not before a pause that doubles. A connection that breaks at once counts as a failure, too.
final class Connector implements AutoCloseable {
    static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    /// Also how long the machine may seem unreachable after it is reachable again.
    static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
    /// A connection that lived this long has worked.
    private static final Duration WORKED = Duration.ofSeconds(1);

    private final BridgeOpener opener;
    private final Scheduler scheduler;
    private final Consumer<KeeperConnection> whenLost;

    /// Guards all that follows.
    private final ReentrantLock lock = new ReentrantLock();

    private @Nullable KeeperConnection current;
    private @Nullable CompletableFuture<KeeperConnection> attempt;
    private @Nullable Thread attempting;
    private String lastFailure = "";
    private long openedAt;
    private long notBefore;
    private Duration pause = Duration.ZERO;
    private boolean closed;

    Connector(BridgeOpener opener, Scheduler scheduler, Consumer<KeeperConnection> whenLost) {
        this.opener = opener;
        this.scheduler = scheduler;
        this.whenLost = whenLost;
        this.notBefore = scheduler.nanos();
    }

    /// The connection, if there is one now.
    @Nullable
    KeeperConnection current() {
        lock.lock();
        try {
            return current != null && current.isOpen() ? current : null;
        } finally {
            lock.unlock();
        }
    }

    /// The connection, or a new one. [IOException] if it cannot be opened, or a pause is on; a [GatewayException] of
    /// the opener comes as it is.
    KeeperConnection get() throws MachineGone, IOException, InterruptedException {
        CompletableFuture<KeeperConnection> joined;
        lock.lock();
        try {
            if (closed) throw new LinkClosed();
            if (current != null && current.isOpen()) return current;
            if (current != null) retire();
            if (attempt == null) {
                if (scheduler.nanos() - notBefore < 0) throw new IOException(lastFailure);
                var mine = new CompletableFuture<KeeperConnection>();
                attempt = mine;
                attempting = Thread.ofVirtual().name("keeper-opener").start(() -> open(mine));
            }
            joined = attempt;
        } finally {
            lock.unlock();
        }
        return await(joined);
    }

    /// Waits until [#get] may try again.
    void pause() throws InterruptedException {
        var over = new CountDownLatch(1);
        lock.lock();
        try {
            var left = Duration.ofNanos(notBefore - scheduler.nanos());
            if (!left.isPositive()) return;
            scheduler.after(left, over::countDown);
        } finally {
            lock.unlock();
        }
        over.await();
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            if (current != null) current.close();
            if (attempting != null) attempting.interrupt();
        } finally {
            lock.unlock();
        }
    }

    private static KeeperConnection await(CompletableFuture<KeeperConnection> attempt)
            throws MachineGone, IOException, InterruptedException {
        try {
            return attempt.get();
        } catch (ExecutionException e) {
            // The same failure may be thrown to several callers: each gets its own, with its own stack.
            var cause = e.getCause() == null ? e : e.getCause();
            String message = String.valueOf(cause.getMessage());
            if (cause instanceof MachineGone) throw new MachineGone(message, cause);
            if (cause instanceof GatewayException problem) throw problem;
            if (cause instanceof LinkClosed) throw new LinkClosed();
            throw new IOException(message, cause);
        }
    }

    private void open(CompletableFuture<KeeperConnection> result) {
        KeeperConnection connection;
        try {
            connection = KeeperConnection.open(opener.open(), scheduler, whenLost);
        } catch (MachineGone e) {
            failed(result, e, false);
            return;
        } catch (IOException | RuntimeException | Error e) {
            failed(result, e, true);
            return;
        } catch (InterruptedException e) {
            failed(result, new LinkClosed(), false); // nobody else interrupts this thread
            return;
        }
        boolean late;
        lock.lock();
        try {
            attempt = null;
            attempting = null;
            current = connection;
            openedAt = scheduler.nanos();
            late = closed;
        } finally {
            lock.unlock();
        }
        if (late) connection.close();
        result.complete(connection);
    }

    private void failed(CompletableFuture<KeeperConnection> result, Throwable why, boolean maybeLater) {
        lock.lock();
        try {
            attempt = null;
            attempting = null;
            if (maybeLater) postpone(String.valueOf(why.getMessage()));
            else pause = Duration.ZERO;
        } finally {
            lock.unlock();
        }
        result.completeExceptionally(why);
    }

    private void retire() {
        current = null;
        if (scheduler.nanos() - openedAt < WORKED.toNanos()) postpone("the connection to the sandbox broke at once");
        else pause = Duration.ZERO;
    }

    private void postpone(String why) {
        lastFailure = why;
        var longer = pause.isZero() ? FIRST_PAUSE : pause.multipliedBy(2);
        pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
        notBefore = scheduler.nanos() + pause.toNanos();
    }
}
