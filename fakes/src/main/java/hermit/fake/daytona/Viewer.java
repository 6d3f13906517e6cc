package hermit.fake.daytona;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;

/// One WebSocket that is attached to a PTY. It is not waited for: who has [#MOST] messages still to get is
/// closed.
final class Viewer {
    private static final int MOST = 256;

    private final Session session;
    /// Whether the end is said in a control message, too.
    private final boolean exitControl;
    /// After how many bytes the connection breaks.
    private final Optional<Integer> cut;

    private final BlockingQueue<Message> queue = new ArrayBlockingQueue<>(MOST);
    private volatile boolean gone;

    private sealed interface Message {
        record Output(ByteBuffer bytes) implements Message {}

        record Control(JsonNode json) implements Message {}

        record Close(int code, String reason) implements Message {}
    }

    Viewer(Session session, boolean exitControl, Optional<Integer> cut) {
        this.session = session;
        this.exitControl = exitControl;
        this.cut = cut;
        Thread.ofVirtual().name("daytona-viewer").start(this::send);
    }

    void control(JsonNode json) {
        add(new Message.Control(json));
    }

    void output(byte[] bytes) {
        add(new Message.Output(ByteBuffer.wrap(bytes)));
    }

    void ended(int code) {
        String reason = switch (code) {
            case 0 -> "";
            case 130 -> "Ctrl+C";
            case 137 -> "SIGKILL";
            case 143 -> "SIGTERM";
            default -> code > 128 ? "signal " + (code - 128) : "non-zero exit";
        };
        var control = Json.object().put("exitCode", code);
        if (!reason.isEmpty()) control.put("exitReason", "(%s)".formatted(reason));
        if (exitControl) add(new Message.Control(control.put("status", "exited").put("type", "control")));
        var close = Json.object().put("exitCode", code);
        if (!reason.isEmpty()) close.put("exitReason", reason);
        add(new Message.Close(code == 0 ? 1000 : 1011, close.toString()));
    }

    void refuse(String error) {
        add(new Message.Control(
                Json.object().put("error", error).put("status", "error").put("type", "control")));
        add(new Message.Close(1000, ""));
    }

    void gone() {
        gone = true;
    }

    private void add(Message message) {
        if (gone || queue.offer(message)) return;
        gone = true;
        session.close(1008, "slow consumer", Callback.NOOP);
    }

    private void send() {
        long sent = 0;
        try {
            while (!gone) {
                var message = queue.poll(100, TimeUnit.MILLISECONDS);
                if (message == null) continue;
                var done = new Callback.Completable();
                switch (message) {
                    case Message.Output(var bytes) -> {
                        sent += bytes.remaining();
                        session.sendBinary(bytes, done);
                    }
                    case Message.Control(var json) -> session.sendText(json.toString(), done);
                    case Message.Close(var code, var reason) -> {
                        session.close(code, reason, done);
                        gone = true;
                    }
                }
                done.get(60, TimeUnit.SECONDS);
                if (cut.isPresent() && sent >= cut.get()) session.disconnect();
            }
        } catch (InterruptedException | ExecutionException | TimeoutException _) {
            gone = true; // nobody reads any more
            session.disconnect();
        }
    }
}
