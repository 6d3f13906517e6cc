package hermit.backend.docker;

import hermit.exec.LiveState;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;

/// The live states of all sandboxes of this gateway, from one listing that is asked for at most every
/// two seconds, by one caller at a time; the others wait for its answer.
final class ObservedStates {
    static final Duration AGE = Duration.ofSeconds(2);

    private final Containers containers;
    private final UUID instance;
    private final InstantSource clock;
    private final ReentrantLock asking = new ReentrantLock();
    private Listing last = new Listing(Instant.MIN, Map.of());

    private record Listing(Instant at, Map<UUID, LiveState> states) {}

    ObservedStates(Containers containers, UUID instance, InstantSource clock) {
        this.containers = containers;
        this.instance = instance;
        this.clock = clock;
    }

    /// Throws [GatewayException.BackendUnavailable] if the engine cannot be asked; an old answer is not given instead.
    Map<UUID, LiveState> all() throws InterruptedException {
        asking.lockInterruptibly();
        try {
            var now = clock.instant();
            if (last.at.equals(Instant.MIN) || !now.isBefore(last.at.plus(AGE))) last = new Listing(now, ask(now));
            return last.states;
        } finally {
            asking.unlock();
        }
    }

    static LiveState of(FoundContainer container, Instant now) {
        return switch (container.state()) {
            case CREATED -> new LiveState(LiveState.State.STOPPED, "never started", now);
            case RUNNING -> new LiveState(LiveState.State.RUNNING, "", now);
            case RESTARTING -> new LiveState(LiveState.State.STARTING, "", now);
            case PAUSED -> new LiveState(LiveState.State.PAUSED, "", now);
            case REMOVING -> new LiveState(LiveState.State.STOPPING, "being removed", now);
            case EXITED -> new LiveState(LiveState.State.STOPPED, container.error(), now);
            case DEAD -> new LiveState(LiveState.State.ERROR, "the container is dead " + container.error(), now);
        };
    }

    private Map<UUID, LiveState> ask(Instant now) throws InterruptedException {
        var states = new HashMap<UUID, LiveState>();
        for (var each : containers.labelled(Map.of(Labels.INSTANCE, instance.toString())))
            Labels.sandbox(each.labels()).ifPresent(id -> states.put(id, of(each, now)));
        return Map.copyOf(states);
    }
}
