package hermit.mcp;

import hermit.approval.Approval;
import hermit.problem.GatewayException;
import hermit.tool.Calling;
import hermit.tool.WatchedCommand;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// A call of a tool that a client has begun, as it stands. One thread carries it out, another may tell the client of
/// it, and a third may cancel it.
public final class Call implements Calling.Watcher {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Hands hands;
    private State state = new State(0, Optional.empty(), Optional.empty(), Optional.empty(), false);

    Call(Hands hands) {
        this.hands = hands;
    }

    /// What a cancelled call has done.
    interface Hands {
        /// Ends a command with all its processes.
        void end(WatchedCommand command);

        /// Takes back what a person has been asked.
        void takeBack(Approval approval);
    }

    /// How it ended.
    public sealed interface End {
        record Done(Map<String, Object> result) implements End {}

        /// It was put before a person, and has not been carried out, or nobody knows: it is denied, expired, cancelled
        /// or unknown.
        record NotDone(Approval approval) implements End {}

        record Failed(GatewayException why) implements End {}

        /// Something that nobody foresaw; the log says more.
        record Broken() implements End {}
    }

    /// - `changes`: how often it has changed.
    /// - `command`: the command, once it runs.
    /// - `approval`: what a person was asked, as it stands.
    /// - `cancelled`: nobody waits for its end any more.
    public record State(
            long changes,
            Optional<WatchedCommand> command,
            Optional<Approval> approval,
            Optional<End> end,
            boolean cancelled) {
        public boolean isOver() {
            return end.isPresent() || cancelled;
        }
    }

    public State state() {
        lock.lock();
        try {
            return state;
        } finally {
            lock.unlock();
        }
    }

    /// Waits until it has changed since, at most for `patience`. As it is then.
    public State await(State since, Duration patience) throws InterruptedException {
        long left = patience.toNanos();
        lock.lockInterruptibly();
        try {
            while (state.changes == since.changes && left > 0) left = changed.awaitNanos(left);
            return state;
        } finally {
            lock.unlock();
        }
    }

    /// Waits until nothing more is to come, however long that takes.
    public State awaitEnd() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!state.isOver()) changed.await();
            return state;
        } finally {
            lock.unlock();
        }
    }

    /// Cancels it now, or as soon as there is something to cancel. Files are read and written to the end.
    void cancel() {
        State now = change(old -> new State(old.changes + 1, old.command, old.approval, old.end, true));
        now.approval().filter(each -> !each.state().isFinal()).ifPresent(hands::takeBack);
        now.command().ifPresent(hands::end);
    }

    @Override
    public void running(WatchedCommand command) {
        State now =
                change(old -> new State(old.changes + 1, Optional.of(command), old.approval, old.end, old.cancelled));
        if (now.cancelled()) hands.end(command);
    }

    @Override
    public boolean isCancelled() {
        return state().cancelled();
    }

    @Override
    public void asked(Approval approval) {
        State now =
                change(old -> new State(old.changes + 1, old.command, Optional.of(approval), old.end, old.cancelled));
        if (now.cancelled() && !approval.state().isFinal()) hands.takeBack(approval);
    }

    void ended(End end) {
        change(old -> new State(old.changes + 1, old.command, old.approval, Optional.of(end), old.cancelled));
    }

    @FunctionalInterface
    private interface Change {
        State of(State old);
    }

    private State change(Change change) {
        lock.lock();
        try {
            state = change.of(state);
            changed.signalAll();
            return state;
        } finally {
            lock.unlock();
        }
    }
}
