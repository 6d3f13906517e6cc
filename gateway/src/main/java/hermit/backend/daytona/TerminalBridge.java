package hermit.backend.daytona;

import hermit.backend.keeper.Bridge;
import hermit.backend.keeper.Scheduler;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// A terminal's WebSocket as two streams.
final class TerminalBridge implements Bridge {
    /// Of one message; the daemon takes 64 KiB.
    private static final int PIECE = 32 << 10;

    /// Of silence, until the other side is asked whether it is there. A proxy may lose patience after 60 s.
    private static final Duration SILENCE = Duration.ofSeconds(3);

    private final TerminalSocket socket;
    private final Scheduler scheduler;
    private final Runnable whenClosed;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicReference<CompletableFuture<?>> asking =
            new AtomicReference<>(CompletableFuture.completedFuture(null));
    private final AtomicReference<@Nullable CompletableFuture<?>> sending = new AtomicReference<>();

    /// `whenClosed` is called once, on a thread of its own.
    TerminalBridge(TerminalSocket socket, Scheduler scheduler, Runnable whenClosed) {
        this.socket = socket;
        this.scheduler = scheduler;
        this.whenClosed = whenClosed;
    }

    /// Begins to see to it that a connection that was lost is noticed. The JDK's client (25) misses its end
    /// when it comes while the last message is still being delivered, and only a write that fails tells. An
    /// answer is not waited for: a proxy may keep it.
    void watch() {
        if (closed.get()) return;
        var open = socket.socket();
        if (open != null && !socket.wasHeard() && asking.get().isDone())
            asking.set(open.sendPing(ByteBuffer.allocate(0)).whenComplete((_, failure) -> {
                if (failure != null) socket.broke("the connection was lost: " + failure.getMessage());
            }));
        scheduler.after(SILENCE, this::watch);
    }

    @Override
    public InputStream in() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return socket.read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                return length == 0 ? 0 : socket.read(into, offset, length);
            }
        };
    }

    @Override
    public OutputStream out() {
        return new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                for (int i = 0; i < length; i += PIECE)
                    send(ByteBuffer.wrap(bytes, offset + i, Math.min(PIECE, length - i)));
            }
        };
    }

    /// One message at a time: the next waits until the network has taken this one.
    private void send(ByteBuffer piece) throws IOException {
        var open = socket.socket();
        if (open == null || closed.get()) throw new IOException("the terminal was closed");
        var sent = open.sendBinary(piece, true);
        sending.set(sent);
        if (closed.get()) sent.cancel(true);
        try {
            sent.get();
        } catch (ExecutionException | CancellationException e) {
            throw new IOException("the terminal broke: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            sending.set(null);
        }
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) return;
        socket.close();
        var open = socket.socket();
        if (open != null) open.abort();
        var last = sending.get();
        if (last != null) last.cancel(true);
        Thread.ofVirtual().name("daytona-terminal-end").start(whenClosed);
    }
}
