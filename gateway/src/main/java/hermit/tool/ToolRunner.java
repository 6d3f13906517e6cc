package hermit.tool;

import hermit.command.Commands;
import hermit.command.Commands.Accepted;
import hermit.command.ExecRequest;
import hermit.command.ExecView;
import hermit.command.Precondition;
import hermit.command.SandboxFiles;
import hermit.exec.ExecId;
import hermit.problem.GatewayException.Conflict;
import hermit.session.Author;
import hermit.session.Redaction;
import hermit.session.SessionId;
import hermit.session.SessionStore;
import java.util.Map;

/// Carries a call out, once everything has been decided.
final class ToolRunner {
    private final Commands commands;
    private final FileTools files;
    private final SessionStore sessions;
    private final Redaction redaction;
    private final MaskedResults masked;

    ToolRunner(Commands commands, SandboxFiles files, SessionStore sessions, Redaction redaction) {
        this.commands = commands;
        this.files = new FileTools(files);
        this.sessions = sessions;
        this.redaction = redaction;
        this.masked = new MaskedResults(redaction);
    }

    /// `exec`: the id of the command, where it is one; `precondition`: what must hold for it to begin. The result as it
    /// is answered.
    Map<String, Object> run(SessionId session, Author author, ToolCall call, ExecId exec, Precondition precondition)
            throws InterruptedException {
        return run(session, author, call, exec, precondition, Calling.PLAIN);
    }

    /// The same, in the way that the caller wants it.
    Map<String, Object> run(
            SessionId session, Author author, ToolCall call, ExecId exec, Precondition precondition, Calling how)
            throws InterruptedException {
        return masked.of(result(session, author, call, exec, precondition, how));
    }

    private Map<String, Object> result(
            SessionId session, Author author, ToolCall call, ExecId exec, Precondition precondition, Calling how)
            throws InterruptedException {
        return switch (call.arguments()) {
            case ToolArguments.Run(ExecRequest request) ->
                command(session, author, call, request, exec, precondition, how);
            case ToolArguments.Status status -> {
                ExecView view = commands.view(
                        call.sandbox().agentId(),
                        call.sandbox().alias(),
                        status.exec().toString(),
                        status.stdoutOffset(),
                        status.stderrOffset(),
                        status.patience());
                yield ExecDocument.of(view, status.encoding(), how.mostOutput(), redaction);
            }
            case ToolArguments.Cancel(ExecId id) -> {
                commands.cancel(call.sandbox().agentId(), call.sandbox().alias(), id.toString());
                yield Map.of("exec_id", id.toString(), "cancelling", true);
            }
            case ToolArguments.Read read -> files.read(call.sandbox(), read);
            case ToolArguments.Write write -> files.write(call.sandbox(), write);
            case ToolArguments.Edit edit -> files.edit(call.sandbox(), edit);
            case ToolArguments.ListFiles list -> files.list(call.sandbox(), list);
        };
    }

    private Map<String, Object> command(
            SessionId session,
            Author author,
            ToolCall call,
            ExecRequest request,
            ExecId id,
            Precondition precondition,
            Calling how)
            throws InterruptedException {
        sessions.addExec(session, id);
        var accepted = commands.start(call.sandbox(), id, request, author.name(), generation -> {
            precondition.require(generation);
            if (how.watcher().isCancelled() || sessions.isCancelled(id))
                throw new Conflict("The command was cancelled before it began");
        });
        return switch (accepted) {
            case Accepted.Running running -> {
                var exec = running.exec();
                if (!request.background()) {
                    how.watcher().running(new WatchedCommand(exec, redaction));
                    exec.awaitEnd();
                }
                yield ExecDocument.of(commands.answer(exec), request.encoding(), how.mostOutput(), redaction);
            }
            case Accepted.Known(var record) ->
                ExecDocument.of(commands.answer(record), request.encoding(), how.mostOutput(), redaction);
        };
    }
}
