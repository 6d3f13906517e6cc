package hermit.command.http;

import hermit.api.ExecNotice;
import hermit.api.ExecResync;
import hermit.command.ExecRecord;
import hermit.command.ExecRequest.Encoding;
import hermit.command.ExecView;
import hermit.command.ExecView.Slice;
import hermit.command.LiveExec;
import hermit.exec.OutputStreamKind;
import hermit.http.EventStream;
import hermit.http.EventStream.Event;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/// Tells one reader of a command: `start`, output in the order of each stream, `notice`, `resync` where
/// output is lost, and `end` after everything else. Each event's id is where a reader can go on.
final class ExecEvents {
    /// The heartbeat watches over the reader; the command's end or an interrupt ends the wait.
    private static final Duration AS_LONG_AS_IT_TAKES = Duration.ofDays(1);

    /// As much as a follower is given at once.
    private static final int PIECE = 64 << 10;

    private final EventStream stream;
    private final OutputText stdout;
    private final OutputText stderr;
    private final Set<String> noticed = new HashSet<>();

    private ExecEvents(EventStream stream, EventPosition from, Encoding encoding) {
        this.stream = stream;
        this.stdout = new OutputText(encoding, from.stdout());
        this.stderr = new OutputText(encoding, from.stderr());
    }

    /// Follows a command that runs, or has just ended, here, with this follower of its own, which is closed at the end.
    static void follow(EventStream stream, LiveExec exec, LiveExec.Follower follower, Encoding encoding)
            throws InterruptedException {
        var from = new EventPosition(
                follower.position(OutputStreamKind.STDOUT), follower.position(OutputStreamKind.STDERR));
        var events = new ExecEvents(stream, from, encoding);
        try (follower) {
            events.start(exec.record(), from);
            while (true) {
                switch (follower.next(AS_LONG_AS_IT_TAKES)) {
                    case LiveExec.Event.Output output -> events.output(output.stream(), output.bytes());
                    case LiveExec.Event.Gap gap -> events.resync(gap.stream(), gap.offset());
                    case LiveExec.Event.Nothing _ -> {}
                    case LiveExec.Event.End end -> {
                        events.end(end.record());
                        return;
                    }
                }
            }
        }
    }

    /// Tells again of a command that has ended, from what is kept.
    static void replay(EventStream stream, ExecView view, EventPosition from, Encoding encoding) {
        var events = new ExecEvents(stream, from, encoding);
        events.start(view.record(), from);
        events.slice(OutputStreamKind.STDOUT, view.stdout());
        events.slice(OutputStreamKind.STDERR, view.stderr());
        events.end(view.record());
    }

    private void start(ExecRecord record, EventPosition from) {
        if (from.equals(EventPosition.START)) send("start", ExecJson.begun(record));
        notices(record);
    }

    /// In pieces, so that no event is larger than those of a command that runs.
    private void slice(OutputStreamKind kind, Slice slice) {
        byte[] bytes = slice.bytes();
        for (int at = 0; at < bytes.length; at += PIECE)
            output(kind, Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + PIECE)));
        if (slice.truncated()) resync(kind, slice.total());
    }

    private void output(OutputStreamKind kind, byte[] bytes) {
        send(kind, text(kind).next(bytes));
    }

    private void resync(OutputStreamKind kind, long offset) {
        send(kind, text(kind).rest());
        text(kind).skipTo(offset);
        send("resync", new ExecResync(kind.toString(), offset));
    }

    private void end(ExecRecord record) {
        send(OutputStreamKind.STDOUT, stdout.rest());
        send(OutputStreamKind.STDERR, stderr.rest());
        notices(record);
        send("end", ExecJson.summary(record));
    }

    private void notices(ExecRecord record) {
        for (String note : record.notes()) if (noticed.add(note)) send("notice", new ExecNotice(note));
    }

    private void send(OutputStreamKind kind, Optional<OutputPiece> output) {
        output.ifPresent(each -> send(kind.toString(), each));
    }

    private void send(String name, Object data) {
        stream.send(Event.of(new EventPosition(stdout.delivered(), stderr.delivered()).toString(), name, data));
    }

    private OutputText text(OutputStreamKind kind) {
        return kind == OutputStreamKind.STDOUT ? stdout : stderr;
    }
}
