package hermit.backend.daytona;

import hermit.exec.LiveState.State;
import java.time.Duration;
import java.util.Locale;

/// Where a sandbox is in its life, in the provider's words.
///
/// - `patience`: how long the provider itself lets a sandbox be in a state that is on its way to another
/// before it gives up, and a minute; after that nothing will come any more. Where it has no limit
/// (`pending_build`), the one of what comes next.
enum SandboxState {
    CREATING(State.STARTING, Duration.ofMinutes(16)),
    PULLING_SNAPSHOT(State.STARTING, Duration.ofMinutes(31)),
    PENDING_BUILD(State.STARTING, Duration.ofMinutes(61)),
    BUILDING_SNAPSHOT(State.STARTING, Duration.ofMinutes(61)),
    STARTING(State.STARTING, Duration.ofMinutes(6)),
    RESTORING(State.STARTING, Duration.ofMinutes(31)),
    RESUMING(State.STARTING, Duration.ofMinutes(6)),
    STARTED(State.RUNNING, Duration.ofMinutes(6)),
    STOPPING(State.STOPPING, Duration.ofMinutes(6)),
    STOPPED(State.STOPPED, Duration.ofMinutes(6)),
    PAUSING(State.STOPPING, Duration.ofMinutes(6)),
    PAUSED(State.PAUSED, Duration.ofMinutes(6)),
    ARCHIVING(State.STOPPED, Duration.ofMinutes(31)),
    ARCHIVED(State.STOPPED, Duration.ofMinutes(31)),
    ERROR(State.ERROR, Duration.ofMinutes(6)),
    BUILD_FAILED(State.ERROR, Duration.ofMinutes(6)),
    DESTROYING(State.ABSENT, Duration.ofMinutes(6)),
    DESTROYED(State.ABSENT, Duration.ofMinutes(6)),
    /// Resized, forked or copied, after which it is what it was before; or a state that came after this was
    /// written.
    OTHER(State.UNKNOWN, Duration.ofMinutes(6));

    private final State live;
    private final Duration patience;

    SandboxState(State live, Duration patience) {
        this.live = live;
        this.patience = patience;
    }

    static SandboxState of(String word) {
        for (SandboxState each : values()) if (each.toString().equals(word)) return each;
        return OTHER;
    }

    State live() {
        return live;
    }

    Duration patience() {
        return patience;
    }

    /// On its way out, or out: as good as not there.
    boolean isGone() {
        return live == State.ABSENT;
    }

    boolean isFailure() {
        return live == State.ERROR;
    }

    /// Whether the provider takes a request to start it.
    boolean canStart() {
        return this == STOPPED || this == PAUSED || this == ARCHIVED || this == ARCHIVING;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
