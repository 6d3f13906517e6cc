package hermit.tool;

import hermit.access.Standing;
import hermit.approval.Approval;
import hermit.approval.ApprovedCalls;
import hermit.command.Commands;
import hermit.command.EndReason;
import hermit.command.ExecRequest;
import hermit.command.ExecView;
import hermit.command.Outcome.Failure;
import hermit.command.Precondition;
import hermit.command.SandboxFiles;
import hermit.exec.ExecId;
import hermit.problem.GatewayException;
import hermit.sandbox.Sandbox;
import hermit.sandbox.SandboxStore;
import hermit.session.Author;
import hermit.session.Authors;
import hermit.session.Redaction;
import hermit.session.SessionEvent.Draft;
import hermit.session.SessionStore;
import hermit.world.World;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Carries out calls of tools that were approved: exactly what was asked for, in the machine that it was
/// asked for, if whoever asked still may.
public final class ApprovedTools implements ApprovedCalls {
    private final Authors authors;
    private final SandboxStore sandboxes;
    private final Commands commands;
    private final SessionStore sessions;
    private final ToolRunner runner;
    private final Redaction redaction;
    private final MaskedResults masked;
    private final World world;

    public ApprovedTools(
            Authors authors,
            SandboxStore sandboxes,
            Commands commands,
            SandboxFiles files,
            SessionStore sessions,
            Redaction redaction,
            World world) {
        this.authors = authors;
        this.sandboxes = sandboxes;
        this.commands = commands;
        this.sessions = sessions;
        this.runner = new ToolRunner(commands, files, sessions, redaction);
        this.redaction = redaction;
        this.masked = new MaskedResults(redaction);
        this.world = world;
    }

    @Override
    public Outcome carryOut(Approval approval, Map<String, Object> kept) throws InterruptedException {
        Tool tool = Tool.inPath(approval.tool());
        try {
            Optional<String> refusal = refusal(approval, tool);
            if (refusal.isPresent()) return new Outcome.Cancelled(refusal.get());
            Optional<Sandbox> sandbox =
                    sandboxes.find(approval.place().sandbox()).filter(each -> isSame(each, approval));
            if (sandbox.isEmpty())
                return new Outcome.Cancelled("the sandbox is not the one any more that this was asked for");
            Map<String, Object> document = arguments(kept);
            var arguments = ToolArguments.read(tool, document, commands.limits());
            var call = ToolCall.of(approval.callId(), tool, sandbox.get(), arguments, document);
            if (!call.sha256().equals(approval.sha256()))
                return new Outcome.Cancelled("the call is not the one any more that was asked for");
            // The first machine of a row that had none is the one that was meant.
            long generation = Math.max(1, approval.place().generation());
            ExecId exec = approval.execId().orElseGet(() -> new ExecId(world.newId()));
            return new Outcome.Done(runner.run(
                    approval.sessionId(), approval.requester(), call, exec, Precondition.generation(generation)));
        } catch (GatewayException e) {
            if (approval.execId().filter(sessions::isCancelled).isPresent())
                return new Outcome.Cancelled("it was cancelled before it began");
            return new Outcome.Done(Map.of("error", ToolEvents.error(e)));
        }
    }

    @Override
    public Optional<Outcome> learn(Approval approval) {
        Tool tool = Tool.inPath(approval.tool());
        if (!tool.runs()) return unknown("the gateway was restarted while this was carried out");
        Optional<ExecView> view =
                approval.execId().flatMap(id -> commands.find(approval.place().sandbox(), id));
        if (view.isEmpty()) return unknown("the gateway was restarted before the command was noted");
        var ended = view.get().record().outcome();
        if (ended.isEmpty() && tool == Tool.EXEC) return Optional.empty();
        if (ended.filter(each -> each.reason() == EndReason.GATEWAY_RESTARTED).isPresent())
            return unknown(ended.flatMap(hermit.command.Outcome::failure)
                    .map(Failure::detail)
                    .orElse("the outcome of the command cannot be learned"));
        return Optional.of(new Outcome.Done(
                masked.of(ExecDocument.of(view.get(), ExecRequest.Encoding.UTF8, Integer.MAX_VALUE, redaction))));
    }

    @Override
    public List<Draft> events(Approval approval, Outcome outcome) {
        var call = approval.callId();
        String tool = approval.tool();
        Author author = approval.requester();
        return switch (outcome) {
            case Outcome.Done(var result)
            when result.get("error") instanceof Map<?, ?> error && !result.containsKey("exec_id") ->
                List.of(ToolEvents.failed(call, tool, author, copy(error)));
            case Outcome.Done(var result) -> ToolEvents.done(call, tool, author, result);
            case Outcome.Cancelled(String reason) -> List.of(ToolEvents.lost(call, tool, author, "cancelled", reason));
            case Outcome.Unknown(String reason) -> List.of(ToolEvents.lost(call, tool, author, "unknown", reason));
        };
    }

    @Override
    public Map<String, Object> kept(Map<String, Object> result) {
        return ToolEvents.kept(result);
    }

    private Optional<String> refusal(Approval approval, Tool tool) {
        Standing standing = authors.standing(approval.requester(), approval.agentId());
        boolean mayTalk = standing.agentUid().equals(approval.agentUid())
                && standing.role().isPresent();
        if (!mayTalk) return Optional.of("whoever asked may not talk to the agent any more");
        return ToolPolicy.decide(standing.policy(), standing.role().get(), tool)
                        instanceof ToolPolicy.Verdict.Refused(String why)
                ? Optional.of(why)
                : Optional.empty();
    }

    private static boolean isSame(Sandbox sandbox, Approval approval) {
        var place = approval.place();
        long generation = sandbox.generation();
        boolean sameMachine = generation == place.generation() || (place.generation() == 0 && generation == 1);
        return sandbox.isLive() && sandbox.version() == place.version() && sameMachine;
    }

    private static Map<String, Object> arguments(Map<String, Object> kept) {
        return kept.get("arguments") instanceof Map<?, ?> document ? copy(document) : Map.of();
    }

    private static Map<String, Object> copy(Map<?, ?> document) {
        var copy = new LinkedHashMap<String, Object>();
        document.forEach((name, value) -> copy.put(String.valueOf(name), value));
        return copy;
    }

    private static Optional<Outcome> unknown(String why) {
        return Optional.of(new Outcome.Unknown(why));
    }
}
