package hermit.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;

/// The writing end of a WebSocket. A message has been handed to the network when a call returns, and a call
/// blocks while the peer does not read: nothing piles up for it. Safe to use from several threads; messages
/// never mix.
public final class WebSocketPeer {
    /// RFC 6455, 7.4.1.
    static final int NORMAL = 1_000;

    static final int GOING_AWAY = 1_001;
    static final int NOT_ALLOWED = 1_008;
    static final int FAILED = 1_011;
    static final int TRY_LATER = 1_013;

    private final Session session;
    private final JsonMapper json;
    private final ReentrantLock writing = new ReentrantLock();
    private volatile boolean gone;

    WebSocketPeer(Session session, JsonMapper json) {
        this.session = session;
        this.json = json;
    }

    /// Sends a record of the API as one text message. Throws [ClientGone] once nobody reads any more.
    public void send(Object message) throws InterruptedException {
        String text = text(message);
        write(done -> session.sendText(text, done));
    }

    /// Sends it, unless that takes longer, or whatever is being sent before it does. False if it was not sent; the
    /// connection is of no use then.
    boolean sendWithin(Duration patience, Object message) throws InterruptedException {
        String text = text(message);
        long deadline = System.nanoTime() + patience.toNanos();
        if (!writing.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS)) return false;
        try {
            if (gone || !session.isOpen()) throw new ClientGone();
            var done = new Callback.Completable();
            session.sendText(text, done);
            done.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw broken(e);
        } finally {
            writing.unlock();
        }
    }

    /// Sends bytes as one binary message. Throws [ClientGone] once nobody reads any more.
    public void send(byte[] bytes) throws InterruptedException {
        write(done -> session.sendBinary(ByteBuffer.wrap(bytes), done));
    }

    /// Asks for a sign of life; the answer keeps the connection from being taken for dead. Where a message is
    /// being written anyway, there is no need.
    void ping() throws InterruptedException {
        if (!writing.tryLock()) return;
        try {
            write(done -> session.sendPing(ByteBuffer.allocate(0), done));
        } finally {
            writing.unlock();
        }
    }

    /// Says goodbye. `reason` is for people, at most 123 bytes of it are sent.
    void close(int code, String reason) {
        session.close(code, reason, Callback.NOOP);
    }

    void disconnect() {
        session.disconnect();
    }

    /// The connection is closed: whoever writes learns it at once.
    void gone() {
        gone = true;
    }

    private void write(Write write) throws InterruptedException {
        writing.lockInterruptibly();
        try {
            if (gone || !session.isOpen()) throw new ClientGone();
            var done = new Callback.Completable();
            write.begin(done);
            done.get();
        } catch (ExecutionException e) {
            throw broken(e);
        } finally {
            writing.unlock();
        }
    }

    private ClientGone broken(ExecutionException e) {
        gone = true;
        return new ClientGone(new IOException(e.getCause()));
    }

    private String text(Object message) {
        try {
            return json.writeValueAsString(message);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("%s cannot be written as JSON".formatted(message.getClass()), e);
        }
    }

    @FunctionalInterface
    private interface Write {
        void begin(Callback.Completable done);
    }
}
