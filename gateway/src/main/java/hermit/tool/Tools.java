package hermit.tool;

import hermit.approval.Approval;
import hermit.approval.ApprovalId;
import hermit.approval.ApprovalRules;
import hermit.approval.Approvals;
import hermit.command.Commands;
import hermit.command.ExecRequest.Encoding;
import hermit.command.LiveExec;
import hermit.command.Precondition;
import hermit.command.SandboxFiles;
import hermit.exec.ExecId;
import hermit.problem.Documents;
import hermit.problem.Fields;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.Forbidden;
import hermit.problem.GatewayException.NotFound;
import hermit.sandbox.Alias;
import hermit.sandbox.Sandbox;
import hermit.sandbox.Sandboxes;
import hermit.session.Actor;
import hermit.session.Author;
import hermit.session.Redaction;
import hermit.session.Session;
import hermit.session.SessionEvent.Draft;
import hermit.session.SessionLog;
import hermit.session.SessionStore;
import hermit.session.Sessions;
import hermit.session.Sessions.Entered;
import hermit.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Calls tools in sessions. The policy is asked first, then perhaps a person; all that happens is in the
/// session's log, with the author of the call. No result and nothing that a watcher sees has the operator's own
/// secrets in it.
public final class Tools {
    /// How soon the command of an approved call is looked for again that has not been started yet.
    private static final Duration SOON = Duration.ofMillis(200);

    private static final Duration LONG = Duration.ofMinutes(1);

    private final Sessions sessions;
    private final SessionStore store;
    private final SessionLog log;
    private final Sandboxes sandboxes;
    private final Commands commands;
    private final Approvals approvals;
    private final ApprovalRules rules;
    private final ToolRunner runner;
    private final Redaction redaction;
    private final MaskedResults masked;
    private final UUID gateway;
    private final World world;

    public Tools(
            Sessions sessions,
            SessionStore store,
            SessionLog log,
            Sandboxes sandboxes,
            Commands commands,
            SandboxFiles files,
            Approvals approvals,
            ApprovalRules rules,
            Redaction redaction,
            UUID gateway,
            World world) {
        this.sessions = sessions;
        this.store = store;
        this.log = log;
        this.sandboxes = sandboxes;
        this.commands = commands;
        this.approvals = approvals;
        this.rules = rules;
        this.runner = new ToolRunner(commands, files, store, redaction);
        this.redaction = redaction;
        this.masked = new MaskedResults(redaction);
        this.gateway = gateway;
        this.world = world;
    }

    /// What became of a call.
    public sealed interface Answer {
        UUID callId();

        record Done(UUID callId, Map<String, Object> result) implements Answer {}

        /// A person was asked; as it stands.
        record Asked(UUID callId, Approval approval) implements Answer {}
    }

    /// How a call is to be known.
    ///
    /// - `call`: in the session's log.
    /// - `exec`: its command, if it is one.
    /// - `about`: what else the log says of it.
    public record Mark(UUID call, ExecId exec, Map<String, Object> about) {
        public Mark {
            about = Documents.copyOf(about);
        }
    }

    /// From the tool's own arguments with `sandbox?` and, where a person may be asked, `wait_ms?`.
    public Answer call(Entered entered, Tool tool, Map<String, Object> document) throws InterruptedException {
        return call(entered, tool, document, Calling.PLAIN);
    }

    /// The same, in the way that the caller wants it.
    public Answer call(Entered entered, Tool tool, Map<String, Object> document, Calling how)
            throws InterruptedException {
        var mark = new Mark(world.newId(), new ExecId(world.newId()), Map.of());
        return carryOut(entered, mark, prepare(entered, mark, tool, document), how);
    }

    /// The same, with ids that the caller has fixed before, so that they are known whatever happens. What
    /// is refused is in the log as well.
    public Answer call(Entered entered, Mark mark, Tool tool, Map<String, Object> document)
            throws InterruptedException {
        Prepared prepared;
        try {
            prepared = prepare(entered, mark, tool, document);
        } catch (GatewayException e) {
            refused(entered, mark, tool.toString(), e);
            throw e;
        }
        return carryOut(entered, mark, prepared, Calling.PLAIN);
    }

    /// Notes a call that was refused before it began.
    public void refused(Entered entered, Mark mark, String tool, GatewayException why) {
        log.append(
                entered.session().id(),
                false,
                ToolEvents.refused(mark.call(), tool, entered.actor().author(), ToolEvents.error(why), mark.about()));
    }

    private record Prepared(ToolCall call, ToolPolicy.Verdict verdict, Duration patience) {}

    private Prepared prepare(Entered entered, Mark mark, Tool tool, Map<String, Object> document) {
        Actor actor = entered.actor();
        var verdict = ToolPolicy.decide(actor.agent().policy(), actor.role(), tool);
        if (verdict instanceof ToolPolicy.Verdict.Refused(String why)) throw new Forbidden(why);
        var request = Request.read(tool, document);
        var arguments = ToolArguments.read(tool, request.own(), commands.limits());
        Session session = entered.session();
        requireOwn(session, arguments);
        Sandbox sandbox = sandboxes.forUse(actor.agent().agentId(), request.sandbox());
        var call = ToolCall.of(mark.call(), tool, sandbox, arguments, request.own());
        return new Prepared(call, verdict, request.patience());
    }

    private Answer carryOut(Entered entered, Mark mark, Prepared prepared, Calling how) throws InterruptedException {
        Actor actor = entered.actor();
        Session session = entered.session();
        ToolCall call = prepared.call();
        sessions.append(entered, ToolEvents.called(call, actor.author(), mark.about()));
        boolean asks = prepared.verdict() instanceof ToolPolicy.Verdict.Ask
                && !rules.allow(session.agentUid(), call.sandbox().id(), session.id(), actor.author(), call.sha256());
        if (!asks) return run(session, actor.author(), call, mark.exec(), how);
        Approval approval = approvals.ask(approval(session, actor, call, mark.exec()), kept(call));
        if (prepared.patience().isPositive()) approval = approvals.await(approval.id(), prepared.patience());
        return new Answer.Asked(call.id(), approval);
    }

    /// Waits until what a person was asked about has come to its end, whichever that is; the watcher is told of all on
    /// the way. As it is then.
    public Approval settled(Approval asked, Calling how) throws InterruptedException {
        Approval now = asked;
        how.watcher().asked(now);
        boolean runs = false;
        while (!now.state().isFinal()) {
            if (!runs) {
                Optional<LiveExec> exec = now.execId().flatMap(commands::watched);
                exec.ifPresent(each -> how.watcher().running(new WatchedCommand(each, redaction)));
                runs = exec.isPresent();
            }
            boolean startsSoon = now.state() == Approval.State.EXECUTING && !runs;
            Approval next = approvals.await(now.id(), now.revision(), startsSoon ? SOON : LONG);
            if (next.revision() > now.revision()) how.watcher().asked(next);
            now = next;
        }
        return now;
    }

    /// What a call that was approved has come to, with as much of its output as the caller wants: the approval itself
    /// keeps less. Empty if it has not been carried out.
    public Optional<Map<String, Object>> result(Approval approval, Calling how) {
        return approval.result().map(kept -> {
            if (!kept.containsKey("exec_id")) return masked.of(kept);
            var encoding = Encoding.BASE64.toString().equals(kept.get("encoding")) ? Encoding.BASE64 : Encoding.UTF8;
            return approval.execId()
                    .flatMap(exec -> commands.find(approval.place().sandbox(), exec))
                    .map(view -> ExecDocument.of(view, encoding, how.mostOutput(), redaction))
                    .map(masked::of)
                    .orElseGet(() -> masked.of(kept));
        });
    }

    private Answer run(Session session, Author author, ToolCall call, ExecId exec, Calling how)
            throws InterruptedException {
        Map<String, Object> result;
        try {
            result = runner.run(session.id(), author, call, exec, Precondition.NONE, how);
        } catch (GatewayException e) {
            log.append(
                    session.id(),
                    false,
                    ToolEvents.failed(call.id(), call.tool().toString(), author, ToolEvents.error(e)));
            throw e;
        }
        report(session, call.id(), call.tool().toString(), author, result);
        return new Answer.Done(call.id(), result);
    }

    private void report(Session session, UUID callId, String tool, Author author, Map<String, Object> result) {
        log.append(
                session.id(),
                false,
                ToolEvents.done(callId, tool, author, result).toArray(Draft[]::new));
    }

    private void requireOwn(Session session, ToolArguments arguments) {
        Optional<ExecId> exec = switch (arguments) {
            case ToolArguments.Status status -> Optional.of(status.exec());
            case ToolArguments.Cancel cancel -> Optional.of(cancel.exec());
            default -> Optional.empty();
        };
        if (exec.filter(id -> !store.hasExec(session.id(), id)).isPresent())
            throw new NotFound("No such command in this session");
        if (!session.isOpen()) throw new Conflict("The session has ended; open it again first");
    }

    private Approval approval(Session session, Actor actor, ToolCall call, ExecId exec) {
        Instant now = world.now();
        Sandbox sandbox = call.sandbox();
        return new Approval(
                new ApprovalId(world.newId()),
                session.agentUid(),
                actor.agent().agentId(),
                session.id(),
                call.id(),
                call.tool().toString(),
                actor.author(),
                new Approval.Place(sandbox.id(), sandbox.version(), sandbox.generation()),
                call.summary(),
                call.sha256(),
                gateway,
                Approval.State.PENDING,
                Optional.of(exec).filter(_ -> call.tool().runs()),
                now,
                now.plus(Approvals.EXPIRY),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                0);
    }

    private static Map<String, Object> kept(ToolCall call) {
        return Map.of("arguments", call.document());
    }

    /// What concerns a call whichever tool it is.
    ///
    /// - `patience`: how long the answer may wait for a person.
    /// - `own`: the tool's own arguments.
    private record Request(Alias sandbox, Duration patience, Map<String, Object> own) {
        static Request read(Tool tool, Map<String, Object> document) {
            var own = new LinkedHashMap<>(document);
            var common = new LinkedHashMap<String, Object>();
            boolean waits = tool != Tool.EXEC_STATUS; // has a `wait_ms` of its own
            if (own.containsKey("sandbox")) common.put("sandbox", own.remove("sandbox"));
            if (waits && own.containsKey("wait_ms")) common.put("wait_ms", own.remove("wait_ms"));
            var fields = Fields.of(common);
            var alias = fields.text("sandbox", Alias.PATTERN, Alias.SHAPE).map(Alias::new);
            var patience =
                    fields.integer("wait_ms", 0, ToolArguments.MAX_WAIT_MS).map(Duration::ofMillis);
            fields.finish();
            return new Request(alias.orElse(Alias.DEFAULT), patience.orElse(Duration.ZERO), own);
        }
    }
}
