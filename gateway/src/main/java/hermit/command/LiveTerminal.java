package hermit.command;

import hermit.exec.Command.Terminal;
import hermit.exec.ExecId;
import hermit.exec.RunningCommand;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.Forbidden;
import hermit.problem.GatewayException.RateLimited;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/// A terminal that is open, and who looks at it. One viewer is the controller: what the others type is refused, until
/// they take over. The program waits for the controller when that one is slow; the others miss output instead.
public final class LiveTerminal {
    /// What a viewer is shown of what was there before: a screen with its history.
    static final int REPLAY = 64 << 10;

    private static final int MOST_VIEWERS = 16;
    /// SIGHUP.
    private static final int HANGUP = 1;

    private final LiveExec exec;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Viewer> viewers = new ArrayList<>();
    private Optional<Viewer> controller = Optional.empty();
    private Terminal size;
    private Instant unwatchedSince;

    LiveTerminal(LiveExec exec, Instant now) {
        this.exec = exec;
        this.size = exec.record().terminal().orElseThrow();
        this.unwatchedSince = now;
    }

    /// What a viewer learns next.
    public sealed interface Event {
        /// Whether this viewer is the controller, at first and whenever it changes.
        record Control(boolean controller) implements Event {}

        /// The size that the terminal has, at first and when another viewer changes it.
        record Size(Terminal size) implements Event {}

        /// The next `bytes` of output were printed before now; `dropped` of them that the viewer has not seen lie
        /// before and are lost. `offset` is that of the first one.
        record Replay(long offset, long bytes, long dropped) implements Event {}

        @SuppressWarnings("ArrayRecordComponent")
        record Output(byte[] bytes) implements Event {}

        record End(ExecRecord record) implements Event {}

        /// Nothing happened for as long as was asked to wait.
        record Nothing() implements Event {}
    }

    public ExecId id() {
        return exec.id();
    }

    public ExecRecord record() {
        return exec.record();
    }

    public Terminal size() {
        lock.lock();
        try {
            return size;
        } finally {
            lock.unlock();
        }
    }

    public int viewers() {
        lock.lock();
        try {
            return viewers.size();
        } finally {
            lock.unlock();
        }
    }

    /// Begins to look. The first one controls; a later one only with `takeover`. `clock` says when nobody looks any
    /// more.
    Viewer attach(boolean takeover, Supplier<Instant> clock) {
        lock.lock();
        try {
            if (viewers.size() == MOST_VIEWERS)
                throw new RateLimited(
                        "%d viewers look at this terminal already".formatted(MOST_VIEWERS), Duration.ofSeconds(5));
            var viewer = new Viewer(clock);
            viewers.add(viewer);
            if (takeover || controller.isEmpty()) give(viewer);
            return viewer;
        } finally {
            lock.unlock();
        }
    }

    /// Whether nobody has looked for so long.
    boolean isUnwatched(Duration patience, Instant now) {
        lock.lock();
        try {
            return viewers.isEmpty() && !now.isBefore(unwatchedSince.plus(patience));
        } finally {
            lock.unlock();
        }
    }

    /// Ends it as closing a window does: whoever listens for a hang-up may tidy up, then everything is killed.
    void end() {
        hangUp();
        exec.cancel();
    }

    void hangUp() {
        exec.running().ifPresent(command -> command.signal(HANGUP));
    }

    private void give(Viewer viewer) {
        controller = Optional.of(viewer);
        viewers.forEach(Viewer::wake);
    }

    private RunningCommand running() {
        return exec.running().orElseThrow(() -> new Conflict("The terminal has ended"));
    }

    /// One look at the terminal. [#next] belongs to one thread; the other methods may be called by others.
    public final class Viewer implements AutoCloseable {
        private final Supplier<Instant> clock;
        private LiveExec.Follower follower;
        private long at;
        private Optional<Boolean> told = Optional.empty();
        private Optional<Terminal> shown = Optional.empty();
        private Optional<Event.Replay> replay;
        private boolean closed;

        private Viewer(Supplier<Instant> clock) {
            this.clock = clock;
            at = exec.latest(REPLAY);
            follower = exec.follow(at, 0, false);
            replay = Optional.of(new Event.Replay(at, exec.latest(0) - at, 0));
        }

        /// The next event, waited for at most `patience`.
        public Event next(Duration patience) throws InterruptedException {
            Optional<Event> news = news();
            if (news.isPresent()) return news.get();
            return switch (follower.next(patience)) {
                case LiveExec.Event.Output output -> {
                    at = output.offset() + output.bytes().length;
                    yield new Event.Output(output.bytes());
                }
                case LiveExec.Event.Gap gap -> missed(gap.offset());
                case LiveExec.Event.End end -> new Event.End(end.record());
                case LiveExec.Event.Nothing _ -> news().orElse(new Event.Nothing());
            };
        }

        /// Types. Blocks while the program does not read. Throws [Forbidden] unless this viewer controls.
        public void type(byte[] bytes) {
            requireControl();
            var stdin = running().stdin();
            try {
                stdin.write(bytes);
                stdin.flush();
            } catch (IOException e) {
                throw new Conflict("Nobody reads what is typed any more: " + e.getMessage());
            }
        }

        /// Throws [Forbidden] unless this viewer controls.
        public void resize(Terminal to) {
            requireControl();
            running().resize(to);
            lock.lock();
            try {
                size = to;
                shown = Optional.of(to);
                viewers.forEach(Viewer::wake);
            } finally {
                lock.unlock();
            }
        }

        public void takeOver() {
            lock.lock();
            try {
                if (!closed) give(this);
            } finally {
                lock.unlock();
            }
        }

        /// Looks away; the terminal stays open. Who has looked on for longest controls then.
        @Override
        public void close() {
            lock.lock();
            try {
                if (closed) return;
                closed = true;
                viewers.remove(this);
                follower.close();
                if (controller.filter(this::equals).isPresent()) {
                    controller = Optional.empty();
                    if (!viewers.isEmpty()) give(viewers.getFirst());
                }
                if (viewers.isEmpty()) unwatchedSince = clock.get();
            } finally {
                lock.unlock();
            }
        }

        private Optional<Event> news() {
            lock.lock();
            try {
                boolean controls = controller.filter(this::equals).isPresent();
                if (told.isEmpty() || told.get() != controls) {
                    told = Optional.of(controls);
                    follower.hold(controls && !closed);
                    return Optional.of(new Event.Control(controls));
                }
                if (shown.isEmpty() || !shown.get().equals(size)) {
                    shown = Optional.of(size);
                    return Optional.of(new Event.Size(size));
                }
                Optional<Event> first = replay.map(each -> each);
                replay = Optional.empty();
                return first;
            } finally {
                lock.unlock();
            }
        }

        /// Goes on near the end: a viewer that could not keep up sees what is there now, not what was long ago.
        private Event missed(long held) {
            lock.lock();
            try {
                long from = Math.max(held, exec.latest(REPLAY));
                var missed = new Event.Replay(from, exec.latest(0) - from, from - at);
                if (from > held) {
                    follower.close();
                    follower = exec.follow(from, 0, !closed && told.orElse(false));
                }
                at = from;
                return missed;
            } finally {
                lock.unlock();
            }
        }

        private void requireControl() {
            lock.lock();
            try {
                if (controller.filter(this::equals).isEmpty())
                    throw new Forbidden("Another viewer controls this terminal; take over first");
            } finally {
                lock.unlock();
            }
        }

        private void wake() {
            follower.nudge();
        }
    }
}
