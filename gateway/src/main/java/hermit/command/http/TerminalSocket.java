package hermit.command.http;

import hermit.api.ExecSummary;
import hermit.api.TerminalMessage;
import hermit.command.LiveTerminal;
import hermit.command.LiveTerminal.Event;
import hermit.command.TerminalRequest;
import hermit.exec.Command.Terminal;
import hermit.http.JsonWebSocketSession;
import hermit.http.WebSocketPeer;
import hermit.problem.Fields;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.Invalid;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/// One viewer of a terminal, at the other end of a WebSocket: binary messages are bytes, text messages control.
final class TerminalSocket implements JsonWebSocketSession {
    /// The end, a peer that goes and a server that closes all wake the wait up.
    private static final Duration AS_LONG_AS_IT_TAKES = Duration.ofDays(1);

    private final Attach attach;
    private final CompletableFuture<LiveTerminal.Viewer> attached = new CompletableFuture<>();

    /// Begins to look at the terminal.
    @FunctionalInterface
    interface Attach {
        LiveTerminal.Viewer attach() throws InterruptedException;
    }

    TerminalSocket(Attach attach) {
        this.attach = attach;
    }

    @Override
    public void speak(WebSocketPeer peer) throws InterruptedException {
        try (var viewer = attach.attach()) {
            attached.complete(viewer);
            while (true) {
                switch (viewer.next(AS_LONG_AS_IT_TAKES)) {
                    case Event.Control(boolean controller) -> peer.send(new TerminalMessage.Takeover(controller));
                    case Event.Size(Terminal size) -> peer.send(new TerminalMessage.Resize(size.cols(), size.rows()));
                    case Event.Replay(long offset, long bytes, long dropped) ->
                        peer.send(new TerminalMessage.Replay(offset, bytes, dropped));
                    case Event.Output(byte[] bytes) -> peer.send(bytes);
                    case Event.Nothing _ -> {}
                    case Event.End(var record) -> {
                        ExecSummary end = ExecJson.summary(record);
                        peer.send(new TerminalMessage.Exit(end.exitCode(), end.endReason(), end.signal()));
                        return;
                    }
                }
            }
        } finally {
            attached.cancel(false); // for what is heard before it was attached, and never will be
        }
    }

    @Override
    public void hear(WebSocketPeer peer, byte[] bytes) throws InterruptedException {
        viewer().type(bytes);
    }

    @Override
    public void hear(WebSocketPeer peer, Map<String, Object> message) throws InterruptedException {
        var fields = Fields.of(message);
        switch (fields.required("type", fields.text("type"), "")) {
            case "resize" -> {
                var size = TerminalRequest.size(fields);
                if (size.isEmpty()) fields.mistake("cols", "is required");
                fields.finish();
                viewer().resize(size.orElseThrow());
            }
            case "takeover" -> {
                fields.finish();
                viewer().takeOver();
            }
            default -> throw new Invalid("type", "must be 'resize' or 'takeover'");
        }
    }

    private LiveTerminal.Viewer viewer() throws InterruptedException {
        try {
            return attached.get();
        } catch (CancellationException e) {
            throw new Conflict("This connection does not look at the terminal any more");
        } catch (ExecutionException e) {
            throw new IllegalStateException("attaching fails by cancelling only", e);
        }
    }
}
