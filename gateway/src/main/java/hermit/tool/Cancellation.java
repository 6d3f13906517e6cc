package hermit.tool;

import hermit.approval.Approval;
import hermit.approval.Approvals;
import hermit.command.Commands;
import hermit.exec.ExecId;
import hermit.session.Author;
import hermit.session.SessionEvent;
import hermit.session.SessionEvent.Draft;
import hermit.session.SessionId;
import hermit.session.SessionLog;
import hermit.session.SessionStore;
import hermit.session.Sessions.Entered;
import hermit.world.World;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/// Cancels what runs in a session and what waits in it. That a command is to end is stored first, so that
/// it ends also where another gateway watches it, or this one was restarted and has not found it again yet.
public final class Cancellation {
    private final SessionStore sessions;
    private final SessionLog log;
    private final Approvals approvals;
    private final Commands commands;
    private final World world;
    private Answering answering = _ -> List.of();

    public Cancellation(SessionStore sessions, SessionLog log, Approvals approvals, Commands commands, World world) {
        this.sessions = sessions;
        this.log = log;
        this.approvals = approvals;
        this.commands = commands;
        this.world = world;
    }

    /// Whoever answers messages in sessions, and calls tools on the way.
    @FunctionalInterface
    public interface Answering {
        /// Lets the answers be that are given or wait in a session, so that nothing new is called. Their
        /// ids, of those for which nobody had asked before.
        List<UUID> cancel(SessionId session);
    }

    /// Told first at each cancellation. Called before anything is cancelled.
    public void onCancel(Answering answers) {
        answering = answers;
    }

    /// What has been cancelled now. Commands end a little later: TERM first, KILL after the grace.
    public record Cancelled(List<ExecId> commands, List<Approval> approvals, List<UUID> turns) {
        public Cancelled {
            turns = List.copyOf(turns);
            commands = List.copyOf(commands);
            approvals = List.copyOf(approvals);
        }

        boolean isNothing() {
            return commands.isEmpty() && approvals.isEmpty() && turns.isEmpty();
        }
    }

    /// Pending approvals become cancelled, and so do those that nobody has begun to carry out; every
    /// command of the session that runs is ended; turns come before all of that. Of what was cancelled
    /// before, and where nothing runs, nothing happens.
    public Cancelled cancel(Entered entered) {
        var session = entered.session().id();
        Author author = entered.actor().author();
        List<UUID> turns = answering.cancel(session);
        List<Approval> settled = approvals.cancel(session, author);
        // After the approvals: what was begun before it could be cancelled is found among these.
        Set<ExecId> begun = approvals.executing(session).stream()
                .flatMap(each -> each.execId().stream())
                .collect(Collectors.toSet());
        List<ExecId> ended = sessions.cancelExecs(session, begun, world.now());
        var cancelled = new Cancelled(ended, settled, turns);
        if (!cancelled.isNothing()) log.append(session, false, notice(cancelled, author));
        commands.endCancelled();
        return cancelled;
    }

    private static Draft notice(Cancelled cancelled, Author author) {
        return new Draft(
                SessionEvent.Type.NOTICE,
                Map.of(
                        "notice", "cancelled",
                        "author", author.name(),
                        "exec_ids",
                                cancelled.commands().stream()
                                        .map(ExecId::toString)
                                        .toList(),
                        "approval_ids",
                                cancelled.approvals().stream()
                                        .map(each -> each.id().toString())
                                        .toList(),
                        "turn_ids",
                                cancelled.turns().stream().map(UUID::toString).toList()));
    }
}
