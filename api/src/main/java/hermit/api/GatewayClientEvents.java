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

/// The events of one answer in `text/event-stream`, in the order in which they were sent. Comment frames,
/// which only keep the connection alive, are skipped.
public final class GatewayClientEvents implements AutoCloseable {
    /// One event: its name, such as `stdout`, and its data, which is one JSON document.
    public record Event(String name, JsonNode data) {}

    private final BufferedReader lines;
    private final Runnable disconnect;
    private Optional<String> lastId = Optional.empty();
    private boolean heard;

    GatewayClientEvents(InputStream body, Runnable disconnect) {
        this.lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8), 64 * 1024);
        this.disconnect = disconnect;
    }

    /// The next event; empty when the gateway has closed the stream. An event that the end of the stream cut
    /// short is not delivered.
    public Optional<Event> next() throws GatewayClientException {
        var name = "message";
        var id = lastId;
        var data = new StringBuilder();
        try {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
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

    /// Leaves the stream, also in the middle of it.
    @Override
    public void close() {
        disconnect.run();
    }

    private static String value(String line) {
        int start = line.indexOf(':') + 1;
        return line.startsWith(" ", start) ? line.substring(start + 1) : line.substring(start);
    }
}
