package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.GatewayClient;
import hermit.api.GatewayClientEvents;
import hermit.api.GatewayClientEvents.Event;
import hermit.api.GatewayClientException;
import hermit.api.GatewayClientException.Unreachable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/// One command in a sandbox, followed to its end: its output goes to stdout and stderr as it comes.
final class RunningExec {
    private final GatewayClient gateway;
    private final String execs;
    private final Output output;
    private String id = "";
    private boolean cancelWanted;
    private boolean cancelSent;
    private long stdoutSeen;
    private long stderrSeen;

    /// `execs` is the path of the sandbox's execs.
    RunningExec(GatewayClient gateway, String execs, Output output) {
        this.gateway = gateway;
        this.execs = execs;
        this.output = output;
    }

    /// Follows the events up to `end`, and returns the result that came with it.
    ///
    /// @throws IOException if our own output cannot be written any more
    JsonNode follow(GatewayClientEvents events, Runnable started) throws GatewayClientException, IOException {
        while (true) {
            Optional<Event> next = events.next();
            if (next.isEmpty())
                throw new Unreachable(
                        "The connection to the gateway ended before the command did; what became of it is told under its exec id '%s'"
                                .formatted(id));
            JsonNode data = next.get().data();
            switch (next.get().name()) {
                case "start" -> {
                    started.run();
                    began(data.path("exec_id").asText());
                }
                case "stdout" -> stdoutSeen = pass(false, data, stdoutSeen);
                case "stderr" -> stderrSeen = pass(true, data, stderrSeen);
                case "resync" -> leftOut(data);
                case "notice" -> output.note(message(data));
                case "end" -> {
                    return data;
                }
                // A newer gateway may say more than we know.
                default -> {}
            }
        }
    }

    /// The whole result, with its output, of a command that has ended.
    JsonNode result() throws GatewayClientException {
        return gateway.get(execs + "/" + GatewayClient.encode(id));
    }

    /// Cancels the command, once. Before it has started, as soon as it starts.
    void cancel() {
        String known;
        synchronized (this) {
            cancelWanted = true;
            if (id.isEmpty() || cancelSent) return;
            cancelSent = true;
            known = id;
        }
        try {
            gateway.delete(execs + "/" + GatewayClient.encode(known));
        } catch (GatewayClientException e) {
            output.note("cancel the command: " + e.getMessage());
        }
    }

    private void began(String execId) {
        boolean cancelNow;
        synchronized (this) {
            id = execId;
            cancelNow = cancelWanted;
        }
        if (cancelNow) cancel();
    }

    /// Passes on one piece, and says so when the gateway had to leave something out before it. Returns where the
    /// stream is now.
    private long pass(boolean stderr, JsonNode data, long seen) throws IOException {
        var text = data.path("data").asText();
        byte[] bytes = data.path("encoding").asText().equals("base64")
                ? Base64.getDecoder().decode(text)
                : text.getBytes(StandardCharsets.UTF_8);
        long offset = data.path("offset").asLong(seen);
        if (offset > seen) missing(offset - seen, stderr);
        if (!output.json()) output.bytes(stderr, bytes);
        return offset + bytes.length;
    }

    /// The gateway goes on later in a stream.
    private void leftOut(JsonNode data) {
        boolean stderr = data.path("stream").asText().equals("stderr");
        long offset = data.path("offset").asLong();
        missing(offset - (stderr ? stderrSeen : stdoutSeen), stderr);
        if (stderr) stderrSeen = offset;
        else stdoutSeen = offset;
    }

    private void missing(long bytes, boolean stderr) {
        output.note("%d bytes of %s are missing here".formatted(bytes, stderr ? "stderr" : "stdout"));
    }

    private static String message(JsonNode data) {
        return data.path("message").asText(data.path("detail").asText(data.toString()));
    }
}
