package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.GatewayClient;
import hermit.api.GatewayClientException;
import hermit.api.GatewayClientException.Refused;
import hermit.api.GatewayClientException.Unreachable;
import hermit.api.GatewayClientException.Unreachable.Stage;
import hermit.api.GatewayClientSocket;
import hermit.api.GatewayClientSocket.Frame;
import hermit.api.JsonTree;
import java.io.IOException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/// A terminal of a sandbox on the local one, over as many connections as that takes. One thread carries what
/// it prints, another the keys, and a third one comes with each change of the size.
final class ShellSession {
    /// How we come to the terminal.
    enum Arrival {
        /// It was made for us: all that it prints is ours to see, and the keyboard is ours.
        NEW,
        /// It was there, and we take its keyboard.
        TAKING_OVER,
        /// It was there, and whoever has its keyboard keeps it.
        LOOKING_ON
    }

    /// How it went.
    sealed interface Outcome {
        record Ended(ExecEnd how) implements Outcome {}

        /// The terminal goes on without us.
        record Left() implements Outcome {}
    }

    private final GatewayClient gateway;
    private final String sandbox;
    private final String id;
    private final Arrival arrival;
    private final LocalTerminal local;
    private final DetachKey detachKey;
    private final Output output;
    private final Reconnects reconnects;
    private final TerminalScreen screen;
    private final Thread runner = Thread.currentThread();
    private boolean reached;
    private boolean left;
    private boolean over;
    private volatile boolean typing;
    private volatile Optional<GatewayClientSocket> connection = Optional.empty();

    /// `sandbox` is the path of the sandbox, `id` the terminal's. Made by the thread that runs it.
    ShellSession(
            CliContext cli,
            GatewayClient gateway,
            String sandbox,
            String id,
            LocalTerminal local,
            DetachKey detachKey,
            Arrival arrival) {
        this.gateway = gateway;
        this.sandbox = sandbox;
        this.id = GatewayClient.encode(id);
        this.arrival = arrival;
        this.local = local;
        this.detachKey = detachKey;
        this.typing = arrival != Arrival.LOOKING_ON;
        this.output = cli.output();
        this.reconnects = new Reconnects(cli.surroundings().pause());
        this.screen = new TerminalScreen(output, arrival == Arrival.NEW);
    }

    /// Runs it to its end, or until it is left.
    ///
    /// @throws IOException if the local terminal cannot be written to any more
    Outcome run() throws GatewayClientException, IOException, InterruptedException {
        boolean ended = false;
        try {
            Outcome outcome = untilTheEnd();
            ended = outcome instanceof Outcome.Ended;
            return outcome;
        } catch (InterruptedException e) {
            if (!hasLeft()) throw e;
            return new Outcome.Left();
        } finally {
            finish();
            if (reached && !ended) screen.leave();
        }
    }

    /// Leaves the terminal, from any thread.
    synchronized void leave() {
        if (over || left) return;
        left = true;
        runner.interrupt();
    }

    private synchronized boolean hasLeft() {
        return left;
    }

    /// From here on, nobody interrupts the thread that ran this.
    private synchronized void finish() {
        over = true;
        if (left) Thread.interrupted();
    }

    private Outcome untilTheEnd() throws GatewayClientException, IOException, InterruptedException {
        while (true) {
            GatewayClientException why;
            try {
                Optional<Outcome> end = overOneConnection();
                if (end.isPresent()) return end.get();
                why = new Unreachable(Stage.BROKEN, "The gateway has closed the connection");
            } catch (GatewayClientException e) {
                Optional<Outcome> end =
                        e instanceof Refused refused && refused.status() == 409 ? ended() : Optional.empty();
                if (end.isPresent()) return end.get();
                if (isFinal(e)) throw e;
                why = e;
            }
            if (reconnects.first())
                output.aside("%s. Looking for the gateway again; what is typed meanwhile is lost (%s leaves)"
                        .formatted(why.getMessage(), detachKey));
            reconnects.await(why);
        }
    }

    private boolean isFinal(GatewayClientException e) {
        return switch (e) {
            case Refused refused -> !reached || !Reconnects.maySoonChange(refused);
            case Unreachable _ -> !reached;
        };
    }

    /// Whether it has ended while we were not looking, and if so, shows the rest of what it printed. To be
    /// there by then is all that somebody who attaches can expect.
    private Optional<Outcome> ended() throws GatewayClientException, IOException {
        if (arrival != Arrival.NEW && !reached) return Optional.empty();
        JsonNode exec =
                gateway.get("%s/execs/%s?encoding=base64&stdout_offset=%d".formatted(sandbox, id, screen.shown()));
        if (!exec.path("state").asText().equals("ended")) return Optional.empty();
        screen.goOnAt(exec.path("stdout_offset").asLong());
        screen.show(Base64.getDecoder().decode(exec.path("stdout").asText()));
        screen.goOnAt(exec.path("stdout_bytes").asLong());
        return Optional.of(new Outcome.Ended(ExecEnd.of(exec)));
    }

    private Optional<Outcome> overOneConnection() throws GatewayClientException, IOException, InterruptedException {
        try (GatewayClientSocket socket =
                gateway.socket("%s/terminals/%s%s".formatted(sandbox, id, typing ? "?takeover=true" : ""))) {
            connection = Optional.of(socket);
            if (!reached) begin();
            else output.aside("Connected again");
            while (true) {
                switch (socket.next()) {
                    case Frame.Bytes(byte[] bytes) -> {
                        screen.show(bytes);
                        reconnects.found();
                    }
                    case Frame.Message(JsonNode message) -> {
                        if (message.path("type").asText().equals("exit"))
                            return Optional.of(new Outcome.Ended(ExecEnd.of(message)));
                        heed(message);
                    }
                    case Frame.Closed _ -> {
                        return Optional.empty();
                    }
                }
            }
        } finally {
            connection = Optional.empty();
        }
    }

    /// Not before there is a connection: until then Ctrl-C ends the process, and what is typed waits.
    private void begin() {
        reached = true;
        local.makeRaw();
        local.onResize(this::tellSize);
        Thread.ofVirtual().name("keys").start(this::carryKeys);
    }

    private void heed(JsonNode message) {
        switch (message.path("type").asText()) {
            case "takeover" -> {
                boolean now = message.path("controller").asBoolean();
                if (typing && !now) output.aside("Somebody else has the keyboard now (%s leaves)".formatted(detachKey));
                typing = now;
                tellSize();
            }
            case "replay" -> screen.goOnAt(message.path("offset").asLong());
            case "error" ->
                output.aside(
                        message.path("detail").asText(message.path("code").asText("The gateway reports an error")));
            // The size is the local terminal's own; and a newer gateway may say more than we know.
            default -> {}
        }
    }

    private void tellSize() {
        if (!typing) return;
        var size = local.size();
        if (!size.isKnown()) return;
        send(socket -> socket.send(JsonTree.object()
                .put("type", "resize")
                .put("cols", size.columns())
                .put("rows", size.rows())));
    }

    private void carryKeys() {
        byte[] keys = new byte[8 << 10];
        try {
            for (int length = local.keys().read(keys);
                    length >= 0;
                    length = local.keys().read(keys)) {
                int end = detachKey.find(keys, length);
                byte[] typed = Arrays.copyOf(keys, end < 0 ? length : end);
                // The gateway refuses the keys of those who only look on.
                if (!typing) output.bell();
                else if (typed.length > 0) send(socket -> socket.send(typed));
                if (end >= 0) break;
            }
        } catch (IOException e) {
            output.aside("read the keyboard: " + e.getMessage());
        }
        // Without a keyboard, too, there is nothing to stay for.
        leave();
    }

    @FunctionalInterface
    private interface Sending {
        void to(GatewayClientSocket socket) throws Unreachable, InterruptedException;
    }

    private void send(Sending what) {
        try {
            if (connection.isPresent()) what.to(connection.get());
        } catch (Unreachable e) {
            // The thread that reads from this connection learns the same, and looks for another.
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
