package hermit.backend.daytona;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// What arrives on a terminal's WebSocket: bytes, and what the daemon says of the terminal. The socket's
/// own thread is never held: while [#MOST] bytes wait to be read, no more are asked for.
final class TerminalSocket implements WebSocket.Listener {
    private static final int MOST = 4 << 20;
    private static final int LONGEST_TEXT = 64 << 10;

    private static final ObjectMapper JSON = new ObjectMapper();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<ByteBuffer> pieces = new ArrayDeque<>();
    private final StringBuilder text = new StringBuilder();
    private int waiting;
    private boolean held;
    private boolean connected;
    private Optional<String> ended = Optional.empty();
    private boolean closed;
    private @Nullable WebSocket socket;
    private volatile boolean heard;

    /// The listener may have heard of it before.
    void opened(WebSocket open) {
        boolean late;
        lock.lock();
        try {
            socket = open;
            late = closed;
        } finally {
            lock.unlock();
        }
        if (late) open.abort();
    }

    @Nullable
    WebSocket socket() {
        lock.lock();
        try {
            return socket;
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            if (ended.isEmpty()) ended = Optional.of("closed");
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Whether anything came since this was last asked.
    boolean wasHeard() {
        boolean was = heard;
        heard = false;
        return was;
    }

    /// The connection is known to be of no use any more.
    void broke(String why) {
        end(why);
    }

    void awaitConnected() throws IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!connected && ended.isEmpty()) changed.await();
            if (!connected) throw new IOException("the terminal did not come up: " + ended.orElse(""));
        } finally {
            lock.unlock();
        }
    }

    /// At least one byte; -1 at the end. Throws if the connection was given up here, or broke.
    int read(byte[] into, int offset, int length) throws IOException {
        WebSocket asked;
        int count;
        lock.lock();
        try {
            while (pieces.isEmpty() && ended.isEmpty()) changed.await();
            if (closed) throw new IOException("the terminal was closed");
            var piece = pieces.peek();
            if (piece == null) return end();
            count = Math.min(length, piece.remaining());
            piece.get(into, offset, count);
            if (!piece.hasRemaining()) pieces.remove();
            waiting -= count;
            asked = held && waiting <= MOST / 2 ? socket : null;
            if (asked != null) held = false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            lock.unlock();
        }
        if (asked != null) asked.request(1);
        return count;
    }

    private int end() throws IOException {
        String why = ended.orElse("");
        if (why.isEmpty()) return -1;
        throw new IOException("the terminal ended: " + why);
    }

    @Override
    public void onOpen(WebSocket open) {
        opened(open);
        open.request(1);
    }

    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
        heard = true;
        var copy = ByteBuffer.allocate(data.remaining()).put(data).flip();
        if (add(copy)) from.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        heard = true;
        if (text.length() + data.length() > LONGEST_TEXT) {
            end("a message that does not end");
            from.abort();
            return null;
        }
        text.append(data);
        boolean more = true;
        if (last) {
            String whole = text.toString();
            text.setLength(0);
            var control = control(whole);
            if (control.isPresent()) hear(control.get());
            else more = add(ByteBuffer.wrap(whole.getBytes(StandardCharsets.UTF_8)));
        }
        if (more) from.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onPong(WebSocket from, ByteBuffer message) {
        heard = true;
        from.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int status, String reason) {
        end(status == WebSocket.NORMAL_CLOSURE ? "" : "%d %s".formatted(status, Api.line(reason, 100)));
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
        end(error.getMessage() == null ? error.getClass().getSimpleName() : Api.line(error.getMessage(), 200));
    }

    /// Whether another message may be asked for.
    private boolean add(ByteBuffer piece) {
        lock.lock();
        try {
            if (piece.hasRemaining()) pieces.add(piece);
            waiting += piece.remaining();
            held = waiting > MOST;
            changed.signalAll();
            return !held;
        } finally {
            lock.unlock();
        }
    }

    private void hear(JsonNode control) {
        switch (control.path("status").asText("")) {
            case "connected" -> {
                lock.lock();
                try {
                    connected = true;
                    changed.signalAll();
                } finally {
                    lock.unlock();
                }
            }
            case "error" -> end(Api.line(control.path("error").asText(""), 200));
            default -> {
                // Its exit: output may still come, and the close says it again.
            }
        }
    }

    private void end(String why) {
        lock.lock();
        try {
            if (ended.isEmpty()) ended = Optional.of(why);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Any other text is the terminal's.
    private static Optional<JsonNode> control(String text) {
        if (!text.startsWith("{")) return Optional.empty();
        try {
            var json = JSON.readTree(text);
            return json.path("type").asText("").equals("control") ? Optional.of(json) : Optional.empty();
        } catch (JsonProcessingException _) {
            return Optional.empty();
        }
    }
}
