package hermit.turn;

import hermit.session.SessionEvent.Draft;
import hermit.session.SessionLog;
import hermit.turn.RunningTurn.Stop;
import hermit.turn.TurnStore.Lease;
import hermit.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/// All that a turn writes while it runs. Each writing asks whether the turn still is this gateway's, and
/// tells the others that it is alive; if it is another's now, the turn stops. Used by the turn's own
/// thread.
final class TurnWriter {
    /// A gateway that could not write for so long has lost its turns.
    static final Duration LASTS = Duration.ofSeconds(60);

    private static final Duration RENEW_EVERY = Duration.ofSeconds(15);

    private final TurnStore store;
    private final SessionLog log;
    private final Turn turn;
    private final RunningTurn running;
    private final UUID gateway;
    private final Duration maxTime;
    private final World world;
    private Instant renewed;

    TurnWriter(
            TurnStore store,
            SessionLog log,
            Turn turn,
            RunningTurn running,
            UUID gateway,
            Duration maxTime,
            World world) {
        this.store = store;
        this.log = log;
        this.turn = turn;
        this.running = running;
        this.gateway = gateway;
        this.maxTime = maxTime;
        this.world = world;
        this.renewed = world.now();
    }

    Turn turn() {
        return turn;
    }

    void say(Draft... drafts) throws Stopped {
        Instant now = world.now();
        written(store.say(turn.id(), lease(now), List.of(drafts), now), now);
    }

    void step(Step step, Usage usage, List<Draft> drafts) throws Stopped {
        Instant now = world.now();
        written(store.addStep(turn.id(), lease(now), step, usage, drafts, now), now);
    }

    void results(int step, List<CallResult> results, List<Draft> drafts) throws Stopped {
        Instant now = world.now();
        written(store.addResults(turn.id(), lease(now), step, results, drafts, now), now);
    }

    /// What is due by the time: a sign of life, and the end.
    void look() throws Stopped {
        Instant now = world.now();
        if (!now.isBefore(running.startedAt().plus(maxTime))) running.stop(Stop.MAX_TIME);
        if (!now.isBefore(renewed.plus(RENEW_EVERY))) say();
    }

    private void written(boolean ours, Instant now) throws Stopped {
        if (!ours) {
            running.stop(Stop.LOST);
            throw new Stopped(Stop.LOST);
        }
        renewed = now;
        log.changed(turn.session());
    }

    private Lease lease(Instant now) {
        return new Lease(gateway, now.plus(LASTS));
    }
}
