package hermit.mcp;

import hermit.approval.Approval;
import hermit.approval.Approvals;
import hermit.command.Commands;
import hermit.mcp.Call.End;
import hermit.problem.GatewayException;
import hermit.session.Author;
import hermit.session.Sessions.Entered;
import hermit.tool.Calling;
import hermit.tool.Tool;
import hermit.tool.Tools;
import hermit.tool.WatchedCommand;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Calls of tools for MCP clients, each on a thread of its own: a client that goes away does not cancel what it has
/// begun, as little as elsewhere. What asks a person first is waited for until it is decided or has expired.
public final class Calls implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Calls.class);

    private final Tools tools;
    private final Approvals approvals;
    private final Commands commands;
    private final CallsUnderWay underWay = new CallsUnderWay();

    public Calls(Tools tools, Approvals approvals, Commands commands) {
        this.tools = tools;
        this.approvals = approvals;
        this.commands = commands;
    }

    /// Begins a call. Throws [Invalid] while another request of this id is under way, and [RateLimited] if as many are
    /// as there may be.
    public Call begin(Entered entered, Object requestId, Tool tool, Map<String, Object> arguments) {
        Author by = entered.actor().author();
        var call = new Call(new CancellingHands(by));
        underWay.begin(key(entered, requestId), call, by, () -> carryOut(call, entered, tool, arguments));
        return call;
    }

    /// Cancels a call with its command and all its processes, or takes back what a person was asked. Nothing happens if
    /// it has ended, or is under way at another gateway.
    public void cancel(Entered entered, Object requestId) {
        underWay.find(key(entered, requestId)).ifPresent(Call::cancel);
    }

    private static CallsUnderWay.Key key(Entered entered, Object requestId) {
        return new CallsUnderWay.Key(entered.session().id(), requestId);
    }

    /// Commands go on in their sandboxes, and what waits for a person goes on waiting.
    @Override
    public void close() {
        underWay.close();
    }

    private End carryOut(Call call, Entered entered, Tool tool, Map<String, Object> arguments) {
        // All that is kept: it is shortened for whoever reads it.
        var how = new Calling(call, Integer.MAX_VALUE);
        try {
            return switch (tools.call(entered, tool, arguments, how)) {
                case Tools.Answer.Done done -> new End.Done(done.result());
                case Tools.Answer.Asked asked -> {
                    Approval settled = tools.settled(asked.approval(), how);
                    yield tools.result(settled, how).<End>map(End.Done::new).orElse(new End.NotDone(settled));
                }
            };
        } catch (GatewayException e) {
            return new End.Failed(e);
        } catch (InterruptedException e) {
            return new End.Failed(CallsUnderWay.closing());
        } catch (RuntimeException | Error e) {
            log.error("calling {} in session {} failed", tool, entered.session().id(), e);
            return new End.Broken();
        }
    }

    private final class CancellingHands implements Call.Hands {
        private final Author by;

        private CancellingHands(Author by) {
            this.by = by;
        }

        @Override
        public void end(WatchedCommand command) {
            commands.cancelIfWatched(command.id());
        }

        @Override
        public void takeBack(Approval approval) {
            approvals.cancel(approval.id(), by);
        }
    }
}
