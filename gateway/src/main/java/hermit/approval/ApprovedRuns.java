package hermit.approval;

import hermit.approval.Approval.State;
import hermit.approval.ApprovedCalls.Outcome;
import hermit.problem.GatewayException;
import hermit.session.SessionEvent.Draft;
import hermit.world.World;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries out what has been approved, at the gateway where it was asked for, each on a thread of its own
/// and at most once: the state is changed first, by compare-and-set. What a death of the gateway has
/// interrupted is never begun again; what became of it is learned, or is unknown.
public final class ApprovedRuns implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ApprovedRuns.class);

    private final ApprovalStore store;
    private final Approvals approvals;
    private final ApprovedCalls calls;
    private final UUID gateway;
    private final World world;
    private final ConcurrentHashMap<ApprovalId, Thread> running = new ConcurrentHashMap<>();

    public ApprovedRuns(ApprovalStore store, Approvals approvals, ApprovedCalls calls, UUID gateway, World world) {
        this.store = store;
        this.approvals = approvals;
        this.calls = calls;
        this.gateway = gateway;
        this.world = world;
    }

    /// Begins what has been approved meanwhile, and learns what became of what nobody carries out any
    /// more. Called all the time.
    public void sweep() {
        approvals.settle();
        for (Approval approved : store.ofGateway(gateway, State.APPROVED)) begin(approved);
        for (Approval executing : store.ofGateway(gateway, State.EXECUTING))
            if (!running.containsKey(executing.id()))
                calls.learn(executing).ifPresent(outcome -> finish(executing, outcome));
    }

    /// Waits until all that was begun has been done.
    public void settle() throws InterruptedException {
        for (Thread each : running.values()) each.join();
    }

    private void begin(Approval approved) {
        Thread thread = Thread.ofVirtual().name("approved-" + approved.id()).unstarted(() -> carryOut(approved));
        // Known before the state changes, so that no sweep takes it for one that nobody carries out.
        if (running.putIfAbsent(approved.id(), thread) == null) thread.start();
    }

    private void carryOut(Approval approved) {
        try {
            Optional<Map<String, Object>> call = store.begin(approved.id());
            if (call.isEmpty()) return; // somebody was quicker, or it has expired
            store.find(approved.id()).ifPresent(approvals::changed);
            finish(approved, calls.carryOut(approved, call.get()));
        } catch (InterruptedException e) {
            log.debug("approval {} is left to the next start of the gateway", approved.id());
        } catch (GatewayException e) {
            log.warn("approval {} cannot be carried out or noted now: {}", approved.id(), e.detail());
        } catch (RuntimeException e) {
            log.error("carrying out approval {} failed", approved.id(), e);
        } finally {
            running.remove(approved.id());
        }
    }

    private void finish(Approval approval, Outcome outcome) {
        var events = calls.events(approval, outcome);
        var finished = switch (outcome) {
            case Outcome.Done(var result) ->
                finish(approval, State.DONE, Optional.empty(), Optional.of(calls.kept(result)), events);
            case Outcome.Cancelled(String reason) ->
                finish(approval, State.CANCELLED, Optional.of(reason), Optional.empty(), events);
            case Outcome.Unknown(String reason) ->
                finish(approval, State.UNKNOWN, Optional.of(reason), Optional.empty(), events);
        };
        finished.ifPresent(approvals::changed);
    }

    private Optional<Approval> finish(
            Approval approval,
            State state,
            Optional<String> reason,
            Optional<Map<String, Object>> result,
            List<Draft> events) {
        return store.finish(approval.id(), state, reason, result, events, world.now());
    }

    @Override
    public void close() {
        running.values().forEach(Thread::interrupt);
    }
}
