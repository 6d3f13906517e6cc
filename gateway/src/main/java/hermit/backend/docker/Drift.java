package hermit.backend.docker;

import hermit.backend.docker.FoundContainer.State;
import java.util.Optional;

/// What separates the container that is there from the one that a row wants, and so what an ensure has to do.
sealed interface Drift {
    /// There is none.
    record Absent() implements Drift {}

    /// Somebody else's container has the name. It is left alone.
    record Foreign(FoundContainer container) implements Drift {}

    /// Nothing is to be done.
    record None(FoundContainer container) implements Drift {}

    record Paused(FoundContainer container) implements Drift {}

    /// It does not run. `unexpected`: not because an ensure was cut short or a shutdown was asked for.
    record Stopped(FoundContainer container, boolean unexpected) implements Drift {}

    /// It is of no use any more. `why` completes "the sandbox had to be created anew".
    record Unfit(FoundContainer container, String why) implements Drift {}

    /// - `own`: it carries all the labels of the row.
    /// - `config`: hash that the row wants.
    /// - `thoughtUp`: nobody here has shut it down since it was last seen running.
    static Drift of(Optional<FoundContainer> found, boolean own, String config, boolean thoughtUp) {
        if (found.isEmpty()) return new Absent();
        var container = found.get();
        if (!own) return new Foreign(container);
        var state = container.state();
        if (state == State.DEAD || state == State.REMOVING) return new Unfit(container, " (the old one was broken)");
        if (!config.equals(container.labels().get(Labels.CONFIG)))
            return new Unfit(container, " (its configuration has changed)");
        return switch (state) {
            case RUNNING, RESTARTING -> new None(container);
            case PAUSED -> new Paused(container);
            case CREATED -> new Stopped(container, false);
            default -> new Stopped(container, thoughtUp || !stoppedInOrder(container.exitCode()));
        };
    }

    /// The keeper ends by TERM, which a shutdown sends, with 0 or as the signal.
    private static boolean stoppedInOrder(int exitCode) {
        return exitCode == 0 || exitCode == 128 + 15;
    }
}
