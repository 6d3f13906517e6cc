package hermit.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.GatewayClientException.Unreachable;
import hermit.api.GatewayClientException.Unreachable.Stage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/// The events of one answer in `text/event-stream`, in the order in which they were sent. Comment frames,
/// which only keep the connection alive, are skipped. One thread reads; any may close.
public final class GatewayClientEvents implements AutoCloseable {
    /// One event: its name, such as `stdout`, and its data, which is one JSON document.
    public record Event(String name, JsonNode data) {}

    private final BufferedReader lines;
    private final Runnable disconnect;
    private Optional<String> lastId = Optional.empty();
    private boolean heard;

    private final ReentrantLock lock = new ReentrantLock();
    private Optional<Thread> reader = Optional.empty();
    private volatile boolean closed;

    GatewayClientEvents(InputStream body, Runnable disconnect) {
        this.lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8), 64 * 1024);
        this.disconnect = disconnect;
    }

    /// The next event; empty when the gateway or somebody here has closed the stream. An event that the end of the
    /// stream cut short is not delivered.
    public Optional<Event> next() throws GatewayClientException {
        if (!begin()) return Optional.empty();
        boolean left = false;
        try {
            Optional<Event> next = read();
            left = leave();
            return left ? Optional.empty() : next;
        } catch (Unreachable e) {
            left = leave();
            if (left) return Optional.empty();
            throw e;
        } finally {
            if (left) disconnect.run();
        }
    }

    private Optional<Event> read() throws Unreachable {
        var name = "message";
        var id = lastId;
        var data = new StringBuilder();
        try {
            for (String line = lines.readLine(); line != null && !closed; line = lines.readLine()) {
                heard = true;
                if (line.isEmpty()) {
                    if (!data.isEmpty()) {
                        var event = new Event(name, JsonTree.parse(data.toString()));
                        lastId = id;
                        return Optional.of(event);
                    }
                    name = "message";
                } else if (line.startsWith("event:")) {
                    name = value(line);
                } else if (line.startsWith("data:")) {
                    if (!data.isEmpty()) data.append('\n');
                    data.append(value(line));
                } else if (line.startsWith("id:")) {
                    id = Optional.of(value(line));
                }
            }
            return Optional.empty();
        } catch (JsonProcessingException e) {
            throw new Unreachable(
                    Stage.BROKEN,
                    "The gateway sent an event '%s' that is not JSON: %s".formatted(name, e.getOriginalMessage()),
                    e);
        } catch (IOException e) {
            throw new Unreachable(
                    GatewayClient.afterSending(e), "The event stream broke: " + GatewayClient.reason(e), e);
        }
    }

    /// The id of the last event that had one: where [GatewayClient#resume] can go on.
    public Optional<String> lastId() {
        return lastId;
    }

    /// Whether anything has come, if only a comment: a stream that was there, however it ended.
    public boolean heard() {
        return heard;
    }

    /// Leaves the stream, also in the middle of it, and does not wait for whoever reads: on a virtual thread they come
    /// to the end at once, and on another with the next thing that comes, if only a comment.
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            if (reader.isPresent()) {
                // The connection is the reader's as long as it reads. An interrupt closes the socket under a virtual
                // thread, and nothing does under others.
                if (reader.get().isVirtual()) reader.get().interrupt();
                return;
            }
        } finally {
            lock.unlock();
        }
        disconnect.run();
    }

    /// Whether there is something to read from.
    private boolean begin() {
        lock.lock();
        try {
            if (closed) return false;
            reader = Optional.of(Thread.currentThread());
            return true;
        } finally {
            lock.unlock();
        }
    }

    /// Whether somebody has closed it meanwhile, so that disconnecting is left to the reader.
    private boolean leave() {
        lock.lock();
        try {
            reader = Optional.empty();
            // The interrupt was meant for the socket.
            if (closed && Thread.currentThread().isVirtual()) Thread.interrupted();
            return closed;
        } finally {
            lock.unlock();
        }
    }

    private static String value(String line) {
        int start = line.indexOf(':') + 1;
        return line.startsWith(" ", start) ? line.substring(start + 1) : line.substring(start);
    }
}
