package hermit.backend.keeper;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

/// The pings that a keeper has not answered yet. It answers in order, each with the bytes that it was sent.
final class Pings {
    private record Ping(long nonce, CompletableFuture<Void> answered) {}

    private final Outbox outbox;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Ping> unanswered = new ArrayDeque<>();
    private long lastNonce;
    private boolean over;

    Pings(Outbox outbox) {
        this.outbox = outbox;
    }

    /// Sends one. Done once it is answered; fails once that cannot happen any more.
    CompletableFuture<Void> send() {
        lock.lock();
        try {
            if (over) return CompletableFuture.failedFuture(new IOException("the connection is closed"));
            var ping = new Ping(++lastNonce, new CompletableFuture<>());
            unanswered.add(ping);
            var payload = ByteBuffer.allocate(Long.BYTES).putLong(ping.nonce);
            outbox.put(FrameType.PING, 0, payload.array());
            return ping.answered;
        } finally {
            lock.unlock();
        }
    }

    void answered(ByteBuffer payload) throws BadFrame {
        Ping ping;
        lock.lock();
        try {
            ping = unanswered.poll();
        } finally {
            lock.unlock();
        }
        if (ping == null || payload.remaining() != Long.BYTES || payload.getLong() != ping.nonce)
            throw new BadFrame("PONG to no PING");
        ping.answered.complete(null);
    }

    void fail(IOException why) {
        List<Ping> failed;
        lock.lock();
        try {
            over = true;
            failed = new ArrayList<>(unanswered);
            unanswered.clear();
        } finally {
            lock.unlock();
        }
        for (Ping ping : failed) ping.answered.completeExceptionally(why);
    }
}
