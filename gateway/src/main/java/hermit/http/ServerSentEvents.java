package hermit.http;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.locks.ReentrantLock;

/// The writing end of `text/event-stream`.
final class ServerSentEvents implements EventStream {
    private static final String HEARTBEAT = ": still here\n\n";
    private static final int SMALL = 512;

    private final OutputStream out;
    private final JsonMapper json;
    private final ReentrantLock writing = new ReentrantLock();
    private volatile boolean gone;

    ServerSentEvents(OutputStream out, JsonMapper json) {
        this.out = out;
        this.json = json;
    }

    @Override
    public void send(Event event) {
        FrameBuffer frame = frame(event);
        writing.lock();
        try {
            write(frame);
        } finally {
            writing.unlock();
        }
    }

    /// Sends a comment, so that proxies keep the connection and a client that has gone is found out. Where an
    /// event is being written anyway, there is no need.
    void beat() {
        if (!writing.tryLock()) return;
        try {
            var comment = new FrameBuffer(SMALL);
            comment.append(HEARTBEAT);
            write(comment);
        } finally {
            writing.unlock();
        }
    }

    boolean isGone() {
        return gone;
    }

    private FrameBuffer frame(Event event) {
        int expected = event.data() instanceof WrittenJson written ? written.expectedSize() : SMALL;
        var frame = new FrameBuffer(expected);
        event.id().ifPresent(id -> frame.append("id: " + id + "\n"));
        frame.append("event: " + event.name() + "\ndata: ");
        // JSON has no line breaks of its own, so that it is always one line of data.
        if (event.data() instanceof WrittenJson written) written.writeTo(frame);
        else frame.append(json(event));
        frame.append("\n\n");
        return frame;
    }

    private byte[] json(Event event) {
        try {
            return json.writeValueAsBytes(event.data());
        } catch (IOException e) {
            throw new IllegalStateException("event %s cannot be written as JSON".formatted(event.name()), e);
        }
    }

    private void write(FrameBuffer frame) {
        if (gone) throw new ClientGone();
        try {
            frame.writeTo(out);
            out.flush();
        } catch (IOException e) {
            gone = true;
            throw new ClientGone(e);
        }
    }
}
