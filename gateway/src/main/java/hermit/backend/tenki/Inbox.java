package hermit.backend.tenki;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// What comes in on a stream, for one reader. It holds as many messages as were requested and not yet taken, so that
/// a chatty machine waits at its own end.
final class Inbox<A> extends ClientCall.Listener<A> {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<A> messages = new ArrayDeque<>();
    private Optional<Status> end = Optional.empty();
    private Metadata trailers = new Metadata();
    private Runnable whenReady = () -> {};

    /// Called whenever more may be sent, and when the stream has ended. Set before the call is started.
    void whenReady(Runnable told) {
        whenReady = told;
    }

    /// Empty when the stream has ended well.
    Optional<A> next() throws CallFailed, InterruptedException {
        lock.lockInterruptibly();
        try {
            while (messages.isEmpty() && end.isEmpty()) changed.await();
            var message = Optional.ofNullable(messages.poll());
            if (message.isEmpty() && !end.orElseThrow().isOk()) throw CallFailed.of(end.orElseThrow(), trailers);
            return message;
        } finally {
            lock.unlock();
        }
    }

    /// What has come and was not taken is dropped, and a reader is told that this is the end.
    void abandon() {
        lock.lock();
        try {
            messages.clear();
            end = Optional.of(Status.CANCELLED.withDescription("closed here"));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean hasEnded() {
        lock.lock();
        try {
            return end.isPresent();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onMessage(A message) {
        lock.lock();
        try {
            if (end.isEmpty()) messages.add(message);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onClose(Status status, Metadata last) {
        lock.lock();
        try {
            if (end.isEmpty()) {
                end = Optional.of(status);
                trailers = last;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        whenReady.run();
    }

    @Override
    public void onReady() {
        whenReady.run();
    }
}
