package hermit.turn;

import hermit.approval.Approval;
import hermit.approval.Approvals;
import hermit.audit.Audit;
import hermit.command.Commands;
import hermit.exec.ExecId;
import hermit.problem.GatewayException;
import hermit.problem.ProblemCode;
import hermit.session.Redaction;
import hermit.session.SessionEvent.Draft;
import hermit.session.SessionStore;
import hermit.session.Sessions.Entered;
import hermit.tool.ShownResult;
import hermit.tool.Tool;
import hermit.tool.ToolEvents;
import hermit.tool.Tools;
import hermit.turn.RunningTurn.Job;
import hermit.turn.RunningTurn.Stop;
import hermit.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries out what a model wants to be called at a step, all at the same time, each through the same gate
/// as any call of a tool. Whatever becomes of a call, the model is told: there is a result for each.
final class ToolCalls {
    private static final Logger LOG = LoggerFactory.getLogger(ToolCalls.class);
    /// Of calls that were to end: TERM, KILL after its grace, and some time to write all that down.
    static final Duration GRACE = Duration.ofSeconds(10);
    /// Nobody has to wait for longer than an approval lasts; this is looked at again then.
    private static final Duration PATIENCE = Approvals.EXPIRY;
    /// At one step.
    private static final int MOST = 32;
    /// Of a tool that there may not be.
    private static final int LONGEST_NAME = 64;

    private final Tools tools;
    private final Approvals approvals;
    private final SessionStore sessions;
    private final Commands commands;
    private final Audit audit;
    private final Redaction redaction;
    private final World world;

    ToolCalls(
            Tools tools,
            Approvals approvals,
            SessionStore sessions,
            Commands commands,
            Audit audit,
            Redaction redaction,
            World world) {
        this.tools = tools;
        this.approvals = approvals;
        this.sessions = sessions;
        this.commands = commands;
        this.audit = audit;
        this.redaction = redaction;
        this.world = world;
    }

    /// One result for each call, in their order. If the turn is to stop, its calls end first, unless the
    /// gateway goes away: then commands go on.
    List<CallResult> carryOut(Entered entered, Step step, RunningTurn running, TurnWriter writer) throws Stopped {
        var jobs = new LinkedHashMap<WantedCall, Job<CallResult>>();
        for (WantedCall call :
                step.calls().subList(0, Math.min(MOST, step.calls().size())))
            jobs.put(call, running.start("tool-" + call.id(), () -> recorded(entered, call, writer.turn())));
        try {
            await(jobs, step, running, writer);
        } catch (Stopped | RuntimeException e) {
            jobs.values().forEach(Job::interrupt);
            throw e;
        }
        var results =
                step.calls().stream().map(call -> result(call, jobs, running)).toList();
        writer.results(step.number(), results, lost(entered, jobs, running));
        Optional<Stop> stop = running.stopped();
        if (stop.isPresent()) throw new Stopped(stop.get());
        return results;
    }

    /// Until all are over. What is known so far is stored at each that is.
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
            if (stop.isPresent() && endedAt.isEmpty() && stop.get() != Stop.CLOSING) {
                end(jobs.keySet(), writer.turn());
                endedAt = Optional.of(world.now());
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
        var session = turn.session();
        approvals.cancel(
                session, calls.stream().map(WantedCall::id).collect(Collectors.toSet()), "the turn has been stopped");
        var execs = calls.stream()
                .flatMap(call -> Stream.of(
                        Optional.of(new ExecId(call.exec())),
                        approvals.ofCall(session, call.id()).flatMap(Approval::execId)))
                .flatMap(Optional::stream)
                .collect(Collectors.toSet());
        sessions.cancelThese(session, execs, world.now());
        execs.forEach(commands::cancelIfWatched);
    }

    /// No HTTP request tells the audit of it: it is told here, before the model hears of the result.
    private CallResult recorded(Entered entered, WantedCall call, Turn turn) throws InterruptedException {
        CallResult result = carryOut(entered, call, turn);
        String name =
                call.tool().length() <= LONGEST_NAME ? call.tool() : call.tool().substring(0, LONGEST_NAME);
        audit.record(
                turn.author().name(),
                "",
                "tools.call",
                Optional.of(turn.agentUid()),
                "/api/agents/%s/sessions/%s/tools/%s".formatted(turn.agent(), turn.session(), redaction.text(name)),
                result.code().orElse("ok"),
                "",
                Map.of(
                        "transport",
                        "turn",
                        "turn_id",
                        turn.id().toString(),
                        "call_id",
                        call.id().toString()));
        return result;
    }

    private CallResult carryOut(Entered entered, WantedCall call, Turn turn) throws InterruptedException {
        Optional<Tool> tool = Arrays.stream(Tool.values())
                .filter(each -> each.toString().equals(call.tool()))
                .findFirst();
        var mark = new Tools.Mark(
                call.id(), new ExecId(call.exec()), Map.of("turn_id", turn.id().toString()));
        try {
            if (tool.isEmpty()) throw new GatewayException.NotFound("There is no tool '%s'".formatted(call.tool()));
            if (call.unreadable().isPresent())
                throw new GatewayException.Invalid("arguments", "must be a JSON object, and were not");
            return switch (tools.call(entered, mark, tool.get(), call.arguments())) {
                case Tools.Answer.Done(UUID _, var result) -> done(call, result);
                case Tools.Answer.Asked(UUID _, Approval approval) -> decided(call, approval);
            };
        } catch (GatewayException e) {
            if (tool.isEmpty() || call.unreadable().isPresent()) tools.refused(entered, mark, call.tool(), e);
            return CallResult.failure(call, e.code().wire(), redaction.text(e.detail()));
        }
    }

    private CallResult decided(WantedCall call, Approval asked) throws InterruptedException {
        Approval approval = asked;
        while (!approval.state().isFinal()) {
            approvals.settle();
            approval = approvals.await(approval.id(), PATIENCE);
        }
        Optional<Map<String, Object>> result = tools.result(approval);
        if (result.isPresent()) return done(call, result.get());
        String by = approval.settlement().map(Approval.Settlement::by).orElse(Approval.NOBODY);
        String reason = approval.settlement()
                .flatMap(Approval.Settlement::reason)
                .map(text -> ": " + text)
                .orElse("");
        String detail = switch (approval.state()) {
            case DENIED -> "A person (%s) was asked and has said no%s".formatted(by, reason);
            case EXPIRED -> "A person was asked and has not answered in time, which means no";
            case UNKNOWN -> "It was approved, and it is not known what became of it" + reason;
            default -> "It was cancelled before it was carried out" + reason;
        };
        return CallResult.failure(call, approval.state().toString(), redaction.text(detail));
    }

    private CallResult done(WantedCall call, Map<String, Object> result) {
        boolean failed = result.containsKey("error") && !result.containsKey("exec_id");
        return new CallResult(
                call.id(), call.tool(), redaction.document(ShownResult.of(call.arguments(), result)), failed);
    }

    private static CallResult result(WantedCall call, Map<WantedCall, Job<CallResult>> jobs, RunningTurn running) {
        Job<CallResult> job = jobs.get(call);
        if (job == null)
            return CallResult.failure(
                    call, ProblemCode.INVALID.wire(), "At most %d calls at one step are carried out".formatted(MOST));
        return job.result().orElseGet(() -> broken(call, job, running));
    }

    private static CallResult broken(WantedCall call, Job<CallResult> job, RunningTurn running) {
        if (job.failure().orElse(null) instanceof InterruptedException)
            return running.stopped().filter(why -> why == Stop.CLOSING).isPresent()
                    ? History.unknown(call)
                    : CallResult.failure(call, "cancelled", "It was cancelled while it was under way");
        LOG.error("calling {} for a model failed", call.tool(), job.failure().orElse(null));
        return CallResult.failure(call, ProblemCode.INTERNAL.wire(), "The gateway has failed at it");
    }

    /// What the log says of calls that have come to no end by themselves.
    private static List<Draft> lost(Entered entered, Map<WantedCall, Job<CallResult>> jobs, RunningTurn running) {
        boolean closing = running.stopped().filter(why -> why == Stop.CLOSING).isPresent();
        var drafts = new ArrayList<Draft>();
        jobs.forEach((call, job) -> {
            if (job.result().isEmpty())
                drafts.add(ToolEvents.lost(
                        call.id(),
                        call.tool(),
                        entered.actor().author(),
                        closing ? "unknown" : "cancelled",
                        closing ? "the gateway was stopped" : "the turn has been stopped"));
        });
        return drafts;
    }
}
