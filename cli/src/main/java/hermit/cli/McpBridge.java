package hermit.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClientException;
import hermit.api.GatewayClientException.Refused;
import hermit.api.GatewayClientMcp;
import hermit.api.JsonTree;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Carries messages between a client's two pipes and the gateway. Each is a request of its own to the gateway, so that
/// a long call holds nothing up; whatever goes wrong with one is answered under its id, and the next is tried anew.
final class McpBridge {
    /// Clients that close stdin kill their server 2 s later, and are waited for by whoever stops them: all is over a
    /// second after the end of stdin, with what a JVM needs to end.
    private static final Duration LAST_ANSWERS = Duration.ofMillis(600);

    private static final Duration LAST_WORDS = Duration.ofMillis(300);

    private static final int PARSE_ERROR = -32_700;
    private static final int INVALID_REQUEST = -32_600;
    private static final int GATEWAY_ERROR = -32_000;

    private final McpSession session;
    private final Surroundings surroundings;
    private final Output output;
    /// Requests that have not been answered yet, by their ids as JSON.
    private final Map<String, Pending> pending = new ConcurrentHashMap<>();
    /// What comes behind a message that opens a session belongs to that session, and waits until it is there.
    private CountDownLatch opening = new CountDownLatch(0);

    McpBridge(GatewayClientMcp gateway, Surroundings surroundings, Output output) {
        this.surroundings = surroundings;
        this.output = output;
        this.session = new McpSession(gateway, surroundings.pause(), output, this::say);
    }

    /// - `taken`: the gateway has it, or never will.
    private record Pending(CountDownLatch taken, CountDownLatch over) {}

    /// Until stdin ends. Answers that are about to come are waited for, but not for long.
    void run() throws IOException, InterruptedException {
        var lines = new BufferedReader(new InputStreamReader(surroundings.in(), StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) if (!line.isBlank()) take(line);
        long until = System.nanoTime() + LAST_ANSWERS.toNanos();
        for (Pending each : pending.values())
            if (!each.over.await(until - System.nanoTime(), TimeUnit.NANOSECONDS)) break;
        session.close(LAST_WORDS);
    }

    private void take(String line) {
        JsonNode message;
        try {
            message = JsonTree.parse(line);
        } catch (JsonProcessingException e) {
            say(error(JsonTree.nothing(), PARSE_ERROR, "This line is not JSON: " + e.getOriginalMessage()));
            return;
        }
        if (!(message instanceof ObjectNode object)) {
            say(error(JsonTree.nothing(), INVALID_REQUEST, "A message must be an object"));
            return;
        }
        boolean request = object.has("method") && object.has("id");
        if (request) request(object);
        else later("mcp-message", () -> notify(object));
    }

    private void request(ObjectNode message) {
        var id = JsonTree.write(message.path("id"));
        var mine = new Pending(new CountDownLatch(1), new CountDownLatch(1));
        if (pending.putIfAbsent(id, mine) != null) {
            say(error(message.path("id"), INVALID_REQUEST, "Another request has this id"));
            return;
        }
        Runnable work = () -> {
            try {
                send(message, mine.taken::countDown);
            } finally {
                pending.remove(id);
                mine.taken.countDown();
                mine.over.countDown();
            }
        };
        var opened = later("mcp-request", work);
        if (McpSession.opens(message)) opening = opened;
    }

    /// Does it once the session is there. Stdin is read on meanwhile: its end must not be missed, however long the
    /// gateway takes. What it answers with is down when it is done.
    private CountDownLatch later(String name, Runnable work) {
        var before = opening;
        var done = new CountDownLatch(1);
        Thread.ofVirtual().name(name).start(() -> {
            try {
                before.await();
                work.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                done.countDown();
            }
        });
        return done;
    }

    private void send(ObjectNode message, Runnable taken) {
        try {
            session.send(message, taken);
        } catch (GatewayClientException e) {
            output.note(String.valueOf(e.getMessage()));
            say(error(message, e));
        } catch (UncheckedIOException e) {
            output.note("Nobody reads the answers any more");
        }
    }

    /// What needs no answer. A cancellation must not come before what it cancels.
    private void notify(ObjectNode message) {
        try {
            if (message.path("method").asText().equals("notifications/cancelled")) {
                Pending cancelled =
                        pending.get(JsonTree.write(message.path("params").path("requestId")));
                if (cancelled == null) return;
                cancelled.taken.await();
            }
            session.send(message, () -> {});
        } catch (GatewayClientException e) {
            output.note(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void say(JsonNode message) {
        try {
            output.bytes(false, (JsonTree.write(message) + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ObjectNode error(ObjectNode request, GatewayClientException e) {
        ObjectNode answer = error(request.path("id"), GATEWAY_ERROR, String.valueOf(e.getMessage()));
        ObjectNode data = e instanceof Refused refused
                ? refused.document()
                : CliFailure.problem("unreachable", String.valueOf(e.getMessage()));
        answer.withObject("error").set("data", data);
        return answer;
    }

    private static ObjectNode error(JsonNode id, int code, String message) {
        ObjectNode answer = JsonTree.object().put("jsonrpc", "2.0");
        answer.set("id", id);
        answer.putObject("error").put("code", code).put("message", message);
        return answer;
    }
}
