package hermit.mcp.http;

import hermit.approval.Approval;
import hermit.http.EventSource;
import hermit.http.EventStream;
import hermit.http.EventStream.Event;
import hermit.mcp.Call;
import hermit.mcp.Call.End;
import hermit.tool.WatchedCommand;
import hermit.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;

/// Tells a client of its call: progress, if it has asked for that, and the answer in the end. Whoever tells is not
/// whoever carries out: a client that reads slowly, or goes away, holds up nothing.
final class Telling implements EventSource {
    /// Clients give up a call of which they have heard nothing for a minute.
    private static final Duration SILENCE = Duration.ofSeconds(10);

    /// Of a command that prints without end a person sees enough; the result tells where the rest is.
    private static final int MOST_LIVE = 256 << 10;

    private final Call call;
    private final Object id;
    private final Optional<Object> progressToken;
    private final Function<End, Object> answer;
    private final World world;
    private long told;
    private long printed;
    private Instant toldAt;

    /// `answer`: the message that answers the request, by how the call ended.
    Telling(Call call, Message.Request request, Function<End, Object> answer, World world) {
        this.call = call;
        this.id = request.id();
        this.progressToken = request.params().progressToken();
        this.answer = answer;
        this.world = world;
        this.toldAt = world.now();
    }

    /// The answer, without any telling before.
    Object await() throws InterruptedException {
        return call.awaitEnd().end().map(answer).orElseGet(() -> Wire.error(id, Wire.REFUSED, "Cancelled"));
    }

    @Override
    public void run(EventStream stream) throws InterruptedException {
        try {
            if (progressToken.isPresent()) tell(stream, progressToken.get());
            var state = call.awaitEnd();
            // Whoever cancels wants no answer any more.
            if (!state.cancelled()) state.end().map(answer).ifPresent(each -> send(stream, each));
        } catch (InterruptedException e) {
            String why = "The gateway ends this stream; what was begun goes on";
            send(stream, Wire.error(id, Wire.REFUSED, why));
            throw e;
        }
    }

    private void tell(EventStream stream, Object token) throws InterruptedException {
        var state = call.state();
        boolean watched = false;
        while (!state.isOver()) {
            if (state.command().isPresent() && !watched) {
                watch(stream, token, state.command().get());
                watched = true;
            } else if (!watched) {
                progress(stream, token, state.approval().map(Telling::waiting).orElse("working"));
            }
            state = call.await(state, SILENCE);
        }
    }

    private static String waiting(Approval approval) {
        return switch (approval.state()) {
            case PENDING -> "waiting for approval %s, until %s".formatted(approval.id(), approval.expiresAt());
            default -> "approval %s is %s".formatted(approval.id(), approval.state());
        };
    }

    /// What a command prints, until its end.
    private void watch(EventStream stream, Object token, WatchedCommand command) throws InterruptedException {
        try (var watch = command.watch()) {
            while (true) {
                switch (watch.next(SILENCE)) {
                    case WatchedCommand.Seen.Text text
                    when printed <= MOST_LIVE -> {
                        printed += text.text().length();
                        progress(stream, token, text.text());
                        if (printed > MOST_LIVE) progress(stream, token, "[more output is not shown live]");
                    }
                    case WatchedCommand.Seen.Gap _
                    when printed <= MOST_LIVE -> progress(stream, token, "[some output is left out]");
                    case WatchedCommand.Seen.Text _, WatchedCommand.Seen.Gap _ -> stillRunning(stream, token);
                    case WatchedCommand.Seen.Nothing _ -> progress(stream, token, "still running");
                    case WatchedCommand.Seen.End _ -> {
                        return;
                    }
                }
            }
        }
    }

    /// It prints, and the client hears nothing of it.
    private void stillRunning(EventStream stream, Object token) {
        if (!world.now().isBefore(toldAt.plus(SILENCE))) progress(stream, token, "still running");
    }

    private void progress(EventStream stream, Object token, String message) {
        told++;
        toldAt = world.now();
        send(stream, Wire.progress(token, told, message));
    }

    private static void send(EventStream stream, Object message) {
        stream.send(Event.of("message", message));
    }
}
