package hermit.tool;

import hermit.command.LiveExec;
import hermit.exec.ExecId;
import hermit.exec.OutputStreamKind;
import hermit.session.Redaction;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// A command that runs, as whoever watches its call sees it: its output as text, without the operator's own secrets.
public final class WatchedCommand {
    private final LiveExec exec;
    private final Redaction redaction;

    WatchedCommand(LiveExec exec, Redaction redaction) {
        this.exec = exec;
        this.redaction = redaction;
    }

    public ExecId id() {
        return exec.id();
    }

    /// From its first output on. The command does not wait for whoever watches.
    public Watch watch() {
        return new Watch(exec.follow(0, 0, false));
    }

    /// What is seen next.
    public sealed interface Seen {
        /// Of either stream.
        record Text(String text) implements Seen {}

        /// Some output is not held any more.
        record Gap() implements Seen {}

        /// Nothing happened for as long as was asked to wait.
        record Nothing() implements Seen {}

        /// All has been seen, and it has ended.
        record End() implements Seen {}
    }

    /// Used by one thread.
    public final class Watch implements AutoCloseable {
        private final LiveExec.Follower follower;
        private final Map<OutputStreamKind, LiveText> texts = new EnumMap<>(OutputStreamKind.class);

        private Watch(LiveExec.Follower follower) {
            this.follower = follower;
        }

        /// Waited for at most `patience` at a time.
        public Seen next(Duration patience) throws InterruptedException {
            while (true) {
                switch (follower.next(patience)) {
                    case LiveExec.Event.Output output -> {
                        Optional<String> text = texts.computeIfAbsent(output.stream(), _ -> new LiveText(redaction))
                                .next(output.bytes());
                        if (text.isPresent()) return new Seen.Text(text.get());
                    }
                    case LiveExec.Event.Gap gap -> {
                        texts.remove(gap.stream());
                        return new Seen.Gap();
                    }
                    case LiveExec.Event.Nothing _ -> {
                        return new Seen.Nothing();
                    }
                    case LiveExec.Event.End _ -> {
                        String held =
                                texts.values().stream().map(LiveText::rest).collect(Collectors.joining());
                        texts.clear();
                        return held.isEmpty() ? new Seen.End() : new Seen.Text(held);
                    }
                }
            }
        }

        @Override
        public void close() {
            follower.close();
        }
    }
}
