package hermit.mcp.http;

import hermit.approval.Approval;
import hermit.command.LiveExec;
import hermit.exec.OutputStreamKind;
import hermit.http.EventSource;
import hermit.http.EventStream;
import hermit.http.EventStream.Event;
import hermit.mcp.Call;
import hermit.mcp.Call.End;
import hermit.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
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
        boolean followed = false;
        while (!state.isOver()) {
            if (state.exec().isPresent() && !followed) {
                follow(stream, token, state.exec().get());
                followed = true;
            } else if (!followed) {
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
    private void follow(EventStream stream, Object token, LiveExec exec) throws InterruptedException {
        Map<OutputStreamKind, LiveText> texts = new EnumMap<>(OutputStreamKind.class);
        try (var follower = exec.follow(0, 0, false)) {
            while (true) {
                switch (follower.next(SILENCE)) {
                    case LiveExec.Event.Output output
                    when printed <= MOST_LIVE -> {
                        printed += output.bytes().length;
                        texts.computeIfAbsent(output.stream(), _ -> new LiveText())
                                .next(output.bytes())
                                .ifPresent(piece -> progress(stream, token, piece));
                        if (printed > MOST_LIVE) progress(stream, token, "[more output is not shown live]");
                    }
                    case LiveExec.Event.Gap _
                    when printed <= MOST_LIVE -> progress(stream, token, "[some output is left out]");
                    case LiveExec.Event.Output _, LiveExec.Event.Gap _ -> stillRunning(stream, token);
                    case LiveExec.Event.Nothing _ -> progress(stream, token, "still running");
                    case LiveExec.Event.End _ -> {
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
