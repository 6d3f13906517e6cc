package hermit.turn;

import hermit.problem.GatewayException;
import hermit.session.SessionEvent.Draft;
import hermit.session.SessionLog;
import hermit.tool.ToolEvents;
import hermit.world.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Ends turns that are stored as running and that nobody runs, because their gateway went away. Nothing of
/// them is done again, and commands that they have begun go on.
public final class Abandoned {
    private static final Logger LOG = LoggerFactory.getLogger(Abandoned.class);

    private final TurnStore store;
    private final SessionLog log;
    private final LostCalls lost;
    private final TurnListener listener;
    private final UUID gateway;
    private final World world;

    public Abandoned(
            TurnStore store, SessionLog log, LostCalls lost, TurnListener listener, UUID gateway, World world) {
        this.store = store;
        this.log = log;
        this.lost = lost;
        this.listener = listener;
        this.gateway = gateway;
        this.world = world;
    }

    /// Each by itself: one that cannot be ended now does not keep the others from it.
    void end(List<Turn> turns) {
        for (Turn each : turns) {
            try {
                end(each);
            } catch (GatewayException e) {
                LOG.warn("turn {} was abandoned, and is ended later: {}", each.id(), e.detail());
            } catch (RuntimeException e) {
                LOG.error("turn {} was abandoned, and cannot be ended", each.id(), e);
            }
        }
    }

    private void end(Turn turn) {
        var end = new Turn.End(
                world.now(),
                Turn.Reason.INTERRUPTED,
                Optional.of("The gateway went away in the middle; nothing of it is done again"));
        var drafts = new ArrayList<>(lostCalls(turn));
        drafts.add(TurnEvents.ended(turn, end, turn.steps(), turn.usage()));
        if (!store.abandon(turn.id(), gateway, end, drafts)) return;
        log.changed(turn.session());
        listener.ended(Turn.Reason.INTERRUPTED, Duration.ZERO);
    }

    /// What was called and has no result in the log. What a person was to be asked for nobody waits for any
    /// more; what was approved has its own end.
    private List<Draft> lostCalls(Turn turn) {
        var steps = store.steps(turn.id());
        if (steps.isEmpty()) return List.of();
        var calls = steps.getLast().calls();
        lost.takeBack(turn, calls, "the gateway went away in the middle of the turn");
        return lost.untold(turn, calls).stream()
                .map(call -> ToolEvents.lost(
                        call.id(), call.tool(), turn.author(), "unknown", "the gateway went away in the middle"))
                .toList();
    }
}
