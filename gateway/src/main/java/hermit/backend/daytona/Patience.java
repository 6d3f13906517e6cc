package hermit.backend.daytona;

import hermit.backend.keeper.Scheduler;
import java.time.Duration;

/// How long a change of one sandbox is waited for: as long as the most patient state that was seen on the
/// way allows, counted from the beginning. Between two looks passes a quarter of a second, and then twice
/// as long each time, up to two seconds.
final class Patience {
    private static final Duration FIRST = Duration.ofMillis(250);
    private static final Duration LONGEST = Duration.ofSeconds(2);

    private final Scheduler scheduler;
    private final long began;
    private Duration limit = SandboxState.OTHER.patience();
    private Duration pause = FIRST;

    Patience(Scheduler scheduler) {
        this.scheduler = scheduler;
        this.began = scheduler.nanos();
    }

    void seen(SandboxState state) {
        if (state.patience().compareTo(limit) > 0) limit = state.patience();
    }

    boolean isOver() {
        return scheduler.nanos() - began > limit.toNanos();
    }

    void pause() throws InterruptedException {
        scheduler.pause(pause);
        var longer = pause.multipliedBy(2);
        pause = longer.compareTo(LONGEST) < 0 ? longer : LONGEST;
    }
}
