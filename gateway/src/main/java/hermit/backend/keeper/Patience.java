package hermit.backend.keeper;

import hermit.exec.ExecBackend;
import java.time.Duration;
import java.util.Optional;

/// How long one command waits for a word of its keeper. Guarded by the command's lock.
final class Patience {
    /// For an answer that no deadline of the command bounds.
    static final Duration WITHOUT_DEADLINE = Duration.ofSeconds(60);

    private final Scheduler scheduler;
    private final Optional<Duration> timeout;
    private final Runnable overdue;
    private Scheduler.Task timer = Scheduler.Task.NONE;

    Patience(Scheduler scheduler, Optional<Duration> timeout, Runnable overdue) {
        this.scheduler = scheduler;
        this.timeout = timeout;
        this.overdue = overdue;
    }

    /// It was asked for: whether it runs should be known soon.
    void asked() {
        var end = timeout.map(each -> each.plus(ExecBackend.GRACE)).orElse(WITHOUT_DEADLINE);
        arm(end.compareTo(WITHOUT_DEADLINE) < 0 ? end : WITHOUT_DEADLINE);
    }

    /// It runs, since then: its end is due by its deadline, if it has one.
    void running(Duration since) {
        timer.cancel();
        timeout.ifPresent(each -> {
            var left = each.plus(ExecBackend.GRACE).minus(since);
            arm(left.isNegative() ? Duration.ZERO : left);
        });
    }

    /// It ran, and the connection is gone. With a deadline there is a timer already.
    void disconnected() {
        if (timeout.isEmpty()) arm(WITHOUT_DEADLINE);
    }

    /// What is missing waits for us.
    void extend() {
        arm(ExecBackend.GRACE);
    }

    void over() {
        timer.cancel();
    }

    private void arm(Duration delay) {
        timer.cancel();
        timer = scheduler.after(delay, overdue);
    }
}
