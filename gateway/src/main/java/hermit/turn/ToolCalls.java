package hermit.turn;

import hermit.command.Commands;
import hermit.exec.ExecId;
import hermit.problem.GatewayException;
import hermit.problem.ProblemCode;
import hermit.session.SessionEvent.Draft;
import hermit.session.SessionStore;
import hermit.session.Sessions.Entered;
import hermit.tool.ToolEvents;
import hermit.turn.RunningTurn.Job;
import hermit.turn.RunningTurn.Stop;
import hermit.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries out what a model wants to be called at a step, all at the same time, until all of it has ended
/// or is to. Whatever becomes of a call, the model is told: there is a result for each.
public final class ToolCalls {
    private static final Logger LOG = LoggerFactory.getLogger(ToolCalls.class);
    /// Of calls that were to end: TERM, KILL after its grace, and some time to write all that down.
    static final Duration GRACE = Duration.ofSeconds(10);
    /// At one step.
    private static final int MOST = 32;
    private static final String UNKNOWN = "unknown";

    private final AuditedCalls calls;
    private final LostCalls lost;
    private final SessionStore sessions;
    private final Commands commands;
    private final World world;

    public ToolCalls(AuditedCalls calls, LostCalls lost, SessionStore sessions, Commands commands, World world) {
        this.calls = calls;
        this.lost = lost;
        this.sessions = sessions;
        this.commands = commands;
        this.world = world;
    }

    /// One result for each call, in their order. If the turn is to stop, its calls end first, unless the
    /// gateway goes away: then commands go on.
    List<CallResult> carryOut(Entered entered, Step step, RunningTurn running, TurnWriter writer) throws Stopped {
        var jobs = begin(entered, step, running, writer.turn());
        try {
            await(jobs, step, running, writer);
        } catch (Stopped | RuntimeException e) {
            breakOff(jobs, running, writer.turn());
            throw e;
        }
        if (running.stopped().isPresent()) takeBack(jobs.keySet(), writer.turn());
        var results =
                step.calls().stream().map(call -> result(call, jobs, running)).toList();
        writer.results(step.number(), results, lost(writer.turn(), jobs, running));
        Optional<Stop> stop = running.stopped();
        if (stop.isPresent()) throw new Stopped(stop.get());
        return results;
    }

    /// None where the turn was told to stop while the model spoke.
    private Map<WantedCall, Job<CallResult>> begin(Entered entered, Step step, RunningTurn running, Turn turn) {
        var jobs = new LinkedHashMap<WantedCall, Job<CallResult>>();
        if (running.stopped().isPresent()) return jobs;
        for (WantedCall call :
                step.calls().subList(0, Math.min(MOST, step.calls().size())))
            jobs.put(call, running.start("tool-" + call.id(), () -> calls.carryOut(entered, call, turn)));
        return jobs;
    }

    /// Until all are over. What is known so far is stored at each that is. A call that is to end may be just
    /// about to ask a person: so all is ended at every look.
    private void await(Map<WantedCall, Job<CallResult>> jobs, Step step, RunningTurn running, TurnWriter writer)
            throws Stopped {
        int known = 0;
        Optional<Instant> endedAt = Optional.empty();
        while (true) {
            long seen = running.changes();
            var over = over(jobs);
            if (over.size() > known && over.size() < jobs.size()) {
                known = over.size();
                writer.results(step.number(), over, List.of());
            }
            if (over.size() == jobs.size() || jobs.values().stream().allMatch(Job::isOver)) return;
            writer.look();
            Optional<Stop> stop = running.stopped();
            if (stop.isPresent() && stop.get() != Stop.CLOSING) {
                end(jobs.keySet(), writer.turn());
                if (endedAt.isEmpty()) endedAt = Optional.of(world.now());
            }
            boolean impatient = stop.filter(why -> why == Stop.CLOSING).isPresent()
                    || endedAt.filter(at -> !world.now().isBefore(at.plus(GRACE)))
                            .isPresent();
            if (impatient) jobs.values().forEach(Job::interrupt);
            running.await(seen);
        }
    }

    private static List<CallResult> over(Map<WantedCall, Job<CallResult>> jobs) {
        return jobs.values().stream()
                .filter(Job::isOver)
                .flatMap(each -> each.result().stream())
                .toList();
    }

    /// Ends what these calls have begun or asked for, and keeps from beginning what has not begun yet.
    private void end(Set<WantedCall> calls, Turn turn) {
        takeBack(calls, turn);
        var execs = calls.stream().map(call -> new ExecId(call.exec())).collect(Collectors.toSet());
        sessions.cancelThese(turn.session(), execs, world.now());
        execs.forEach(commands::cancelIfWatched);
    }

    private void takeBack(Set<WantedCall> calls, Turn turn) {
        lost.takeBack(turn, calls, "the turn has been stopped");
    }

    /// The turn cannot go on: nobody waits for these calls any more. Commands that have begun go on, unless
    /// the session has been deleted: then nobody could find them.
    private void breakOff(Map<WantedCall, Job<CallResult>> jobs, RunningTurn running, Turn turn) {
        try {
            if (sessions.find(turn.session()).isEmpty()) end(jobs.keySet(), turn);
        } catch (GatewayException e) {
            LOG.warn("commands that turn {} has begun go on: {}", turn.id(), e.detail());
        }
        jobs.values().forEach(Job::interrupt);
        while (true) {
            long seen = running.changes();
            if (jobs.values().stream().allMatch(Job::isOver)) break;
            running.await(seen);
        }
        try {
            takeBack(jobs.keySet(), turn);
        } catch (GatewayException e) {
            LOG.warn("what turn {} has asked a person for stays until it expires: {}", turn.id(), e.detail());
        }
    }

    private static CallResult result(WantedCall call, Map<WantedCall, Job<CallResult>> jobs, RunningTurn running) {
        Job<CallResult> job = jobs.get(call);
        if (job == null && jobs.isEmpty())
            return CallResult.failure(call, "cancelled", "It was cancelled before it was carried out");
        if (job == null)
            return CallResult.failure(
                    call, ProblemCode.INVALID.wire(), "At most %d calls at one step are carried out".formatted(MOST));
        return job.result().orElseGet(() -> broken(call, job, running));
    }

    private static CallResult broken(WantedCall call, Job<CallResult> job, RunningTurn running) {
        return switch (Loss.of(job, running)) {
            case CANCELLED -> CallResult.failure(call, "cancelled", "It was cancelled while it was under way");
            case CLOSED -> History.unknown(call);
            case FAILED -> {
                LOG.error(
                        "calling {} for a model failed",
                        call.tool(),
                        job.failure().orElse(null));
                yield History.unknown(call, "The gateway has failed at it");
            }
        };
    }

    /// What the log says of calls that have come to no end by themselves.
    private List<Draft> lost(Turn turn, Map<WantedCall, Job<CallResult>> jobs, RunningTurn running) {
        var losses = new LinkedHashMap<WantedCall, Loss>();
        jobs.forEach((call, job) -> {
            if (job.result().isEmpty()) losses.put(call, Loss.of(job, running));
        });
        return lost.untold(turn, losses.keySet()).stream()
                .map(call -> losses.getOrDefault(call, Loss.FAILED).draft(call, turn))
                .toList();
    }

    /// Why a call has no result.
    private enum Loss {
        CANCELLED("cancelled", "the turn has been stopped"),
        CLOSED(UNKNOWN, "the gateway was stopped"),
        FAILED(UNKNOWN, "the gateway has failed at it");

        private final String state;
        private final String reason;

        Loss(String state, String reason) {
            this.state = state;
            this.reason = reason;
        }

        Draft draft(WantedCall call, Turn turn) {
            return ToolEvents.lost(call.id(), call.tool(), turn.author(), state, reason);
        }

        static Loss of(Job<CallResult> job, RunningTurn running) {
            if (!(job.failure().orElse(null) instanceof InterruptedException)) return FAILED;
            return running.stopped().filter(why -> why == Stop.CLOSING).isPresent() ? CLOSED : CANCELLED;
        }
    }
}
