package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClientEvents;
import hermit.api.GatewayClientEvents.Event;
import hermit.api.GatewayClientException;
import hermit.api.GatewayClientException.Refused;
import hermit.api.GatewayClientException.Unreachable;
import hermit.api.GatewayClientMcp;
import hermit.api.JsonTree;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/// The session that a bridge has at the gateway. If the gateway has ended it, or knows nothing of it any more, a new
/// one is opened with what the client has said of itself: the request that found that out had not been carried out.
final class McpSession {
    private final GatewayClientMcp gateway;
    private final Pause pause;
    private final Output output;
    private final Consumer<JsonNode> say;
    private Optional<ObjectNode> opening = Optional.empty();
    private long opened;
    /// Whether the client has said that it is: until then nothing is said to it.
    private volatile boolean ready;

    private boolean listening;
    private volatile Optional<GatewayClientEvents> heard = Optional.empty();
    private volatile boolean closed;

    /// `say`: takes what the gateway says to the client.
    McpSession(GatewayClientMcp gateway, Pause pause, Output output, Consumer<JsonNode> say) {
        this.gateway = gateway;
        this.pause = pause;
        this.output = output;
        this.say = say;
    }

    /// Whether a message begins a session.
    static boolean opens(JsonNode message) {
        return message.path("method").asText().equals("initialize");
    }

    /// Sends a message, and hands on all that comes back. `taken` runs as soon as the gateway has it.
    void send(ObjectNode message, Runnable taken) throws GatewayClientException {
        if (opens(message)) {
            open(message, say);
            return;
        }
        long before = opened();
        try {
            gateway.send(message, taken, say);
        } catch (Refused e) {
            if (e.status() != 404 || !openAgain(before)) throw e;
            gateway.send(message, taken, say);
        }
        if (message.path("method").asText().equals("notifications/initialized")) {
            ready = true;
            listen();
        }
    }

    /// Ends it, as far as the gateway can be reached in that time.
    void close(Duration patience) throws InterruptedException {
        closed = true;
        heard.ifPresent(GatewayClientEvents::close);
        var ending = Thread.ofVirtual().name("mcp-end").start(this::end);
        if (!ending.join(patience)) output.note("The gateway does not answer: the session will end as idle");
    }

    private void end() {
        try {
            gateway.end();
        } catch (GatewayClientException e) {
            output.note("The session could not be ended: " + e.getMessage());
        }
    }

    private synchronized long opened() {
        return opened;
    }

    private synchronized void open(ObjectNode initialize, Consumer<JsonNode> answers) throws GatewayClientException {
        gateway.open(initialize, answers);
        opening = Optional.of(initialize);
        opened++;
    }

    /// Whether there is another session than the one that was lost. Of several requests that miss it, one opens it.
    private synchronized boolean openAgain(long lost) throws GatewayClientException {
        if (opening.isEmpty()) return false;
        if (opened == lost) {
            output.note("The gateway has ended the session: a new one is opened");
            open(opening.get(), _ -> {});
            gateway.send(
                    JsonTree.object().put("jsonrpc", "2.0").put("method", "notifications/initialized"),
                    () -> {},
                    _ -> {});
            if (ready) listen();
        }
        return true;
    }

    private synchronized void listen() {
        if (listening) return;
        listening = true;
        Thread.ofVirtual().name("mcp-listener").start(this::hear);
    }

    /// What the gateway says by itself, over as many connections as that takes. Without it calls work all the same.
    private void hear() {
        var reconnects = new Reconnects(pause);
        long of = opened();
        try {
            while (!closed) {
                of = opened();
                try (GatewayClientEvents events = gateway.listen()) {
                    listensTo(events);
                    reconnects.found();
                    for (Optional<Event> next = events.next(); next.isPresent(); next = events.next())
                        if (next.get().name().equals("message"))
                            say.accept(next.get().data());
                    reconnects.await(new Unreachable(Unreachable.Stage.BROKEN, "The stream has ended"));
                } catch (Unreachable e) {
                    if (!closed) reconnects.await(e);
                }
            }
        } catch (GatewayClientException e) {
            if (!closed) output.note("The gateway is not listened to any more: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            stopped(of);
        }
    }

    /// Either we see here that it is to be left, or whoever leaves sees it.
    private void listensTo(GatewayClientEvents events) {
        heard = Optional.of(events);
        if (closed) events.close();
    }

    /// `of`: which session could not be listened to. There may be another one by now.
    private synchronized void stopped(long of) {
        listening = false;
        if (!closed && opened != of) listen();
    }
}
