package hermit.fake.daytona;

import java.util.Locale;

/// Where a sandbox is in its life, in the provider's words.
enum State {
    CREATING,
    PENDING_BUILD,
    BUILDING_SNAPSHOT,
    STARTING,
    RESTORING,
    STARTED(true),
    STOPPING,
    STOPPED(true),
    ARCHIVING,
    ARCHIVED(true),
    ERROR(true),
    BUILD_FAILED(true),
    DESTROYING,
    DESTROYED(true);

    private final boolean stable;

    State() {
        this(false);
    }

    State(boolean stable) {
        this.stable = stable;
    }

    boolean isStable() {
        return stable;
    }

    boolean isFailure() {
        return this == ERROR || this == BUILD_FAILED;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
