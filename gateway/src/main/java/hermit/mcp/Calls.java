package hermit.mcp;

import hermit.approval.Approval;
import hermit.approval.Approvals;
import hermit.command.Commands;
import hermit.command.LiveExec;
import hermit.mcp.Call.End;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.GatewayException.RateLimited;
import hermit.session.Author;
import hermit.session.SessionId;
import hermit.session.Sessions.Entered;
import hermit.tool.Calling;
import hermit.tool.Tool;
import hermit.tool.Tools;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Calls of tools for MCP clients, each on a thread of its own: a client that goes away does not cancel what it has
/// begun, as little as elsewhere. What asks a person first is waited for until it is decided or has expired.
public final class Calls implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Calls.class);

    /// More than any client has under way at once; what is beyond is a client gone wild.
    static final int MOST_OF_A_SESSION = 64;

    /// How soon the command of an approved call is looked for again that has not been started yet.
    private static final Duration SOON = Duration.ofMillis(200);

    private static final Duration LONG = Duration.ofMinutes(1);

    private final Tools tools;
    private final Approvals approvals;
    private final Commands commands;
    private final ConcurrentHashMap<Key, UnderWay> underWay = new ConcurrentHashMap<>();

    public Calls(Tools tools, Approvals approvals, Commands commands) {
        this.tools = tools;
        this.approvals = approvals;
        this.commands = commands;
    }

    /// A client's request: ids are the client's own, each used once in its session.
    private record Key(SessionId session, Object requestId) {}

    private record UnderWay(Call call, Thread thread) {}

    /// Begins a call. Throws [Invalid] while another request of this id is under way.
    public Call begin(Entered entered, Object requestId, Tool tool, Map<String, Object> arguments) {
        SessionId session = entered.session().id();
        if (underWay.keySet().stream()
                        .filter(each -> each.session.equals(session))
                        .count()
                >= MOST_OF_A_SESSION)
            throw new RateLimited(
                    "%d calls of this session are under way already".formatted(MOST_OF_A_SESSION),
                    Duration.ofSeconds(1));
        var key = new Key(session, requestId);
        var call = new Call(new CancellingHands(entered.actor().author()));
        var thread = Thread.ofVirtual().name("mcp-call").unstarted(() -> {
            try {
                call.ended(carryOut(call, entered, tool, arguments));
            } finally {
                underWay.remove(key);
            }
        });
        if (underWay.putIfAbsent(key, new UnderWay(call, thread)) != null)
            throw new Invalid("id", "another request with this id is under way");
        thread.start();
        return call;
    }

    /// Cancels a call with its command and all its processes, or takes back what a person was asked. Nothing happens if
    /// it has ended, or is under way at another gateway.
    public void cancel(Entered entered, Object requestId) {
        Optional.ofNullable(underWay.get(new Key(entered.session().id(), requestId)))
                .ifPresent(each -> each.call.cancel());
    }

    /// Commands go on in their sandboxes, and what waits for a person goes on waiting.
    @Override
    public void close() {
        underWay.values().forEach(each -> each.thread.interrupt());
    }

    private End carryOut(Call call, Entered entered, Tool tool, Map<String, Object> arguments) {
        var how = new Calling(call);
        try {
            return switch (tools.call(entered, tool, arguments, how)) {
                case Tools.Answer.Done done -> new End.Done(done.result());
                case Tools.Answer.Asked asked -> {
                    Approval settled = awaitSettlement(call, asked.approval());
                    yield tools.result(settled).<End>map(End.Done::new).orElse(new End.NotDone(settled));
                }
            };
        } catch (GatewayException e) {
            return new End.Failed(e);
        } catch (InterruptedException e) {
            return new End.Failed(new BackendUnavailable("The gateway is shutting down"));
        } catch (RuntimeException e) {
            log.error("calling {} in session {} failed", tool, entered.session().id(), e);
            return new End.Broken();
        }
    }

    private Approval awaitSettlement(Call call, Approval asked) throws InterruptedException {
        Approval now = asked;
        call.asked(now);
        boolean runs = false;
        while (!now.state().isFinal()) {
            if (!runs) {
                Optional<LiveExec> exec = now.execId().flatMap(commands::watched);
                exec.ifPresent(call::running);
                runs = exec.isPresent();
            }
            boolean startsSoon = now.state() == Approval.State.EXECUTING && !runs;
            Approval next = approvals.await(now.id(), now.revision(), startsSoon ? SOON : LONG);
            if (next.revision() > now.revision()) call.asked(next);
            now = next;
        }
        return now;
    }

    private final class CancellingHands implements Call.Hands {
        private final Author by;

        private CancellingHands(Author by) {
            this.by = by;
        }

        @Override
        public void end(LiveExec exec) {
            commands.cancelIfWatched(exec.id());
        }

        @Override
        public void takeBack(Approval approval) {
            approvals.cancel(approval.id(), by);
        }
    }
}
