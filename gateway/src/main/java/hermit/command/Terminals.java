package hermit.command;

import hermit.agent.AgentId;
import hermit.command.Commands.Accepted;
import hermit.exec.Capability;
import hermit.exec.ExecId;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.NotFound;
import hermit.sandbox.Alias;
import hermit.sandbox.Sandbox;
import hermit.sandbox.Sandboxes;
import hermit.world.World;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Opens terminals and finds them again. A terminal is a command with a PTY: it outlives the connections of those who
/// look at it, and the gateway; whoever comes back sees what was last printed.
public final class Terminals {
    /// A terminal at which nobody has looked for so long is ended: it keeps its machine from being shut down as idle.
    static final Duration UNWATCHED = Duration.ofMinutes(15);

    private final Sandboxes sandboxes;
    private final Commands commands;
    private final Watch watch;
    private final World world;
    private final ConcurrentHashMap<ExecId, LiveTerminal> live = new ConcurrentHashMap<>();

    public Terminals(Sandboxes sandboxes, Commands commands, Watch watch, World world) {
        this.sandboxes = sandboxes;
        this.commands = commands;
        this.watch = watch;
        this.world = world;
    }

    /// A terminal as it is shown; `live` if it is open here.
    public record View(ExecRecord record, Optional<LiveTerminal> live) {}

    /// Brings the sandbox up and starts a program at a terminal of the size asked for.
    public View open(AgentId agent, Alias alias, TerminalRequest request, String caller) throws InterruptedException {
        sandboxes.forUse(agent, alias, Capability.TERMINAL);
        return switch (commands.start(agent, alias, request.asExec(), caller, "")) {
            case Accepted.Running running -> new View(running.exec().record(), Optional.of(live(running.exec())));
            case Accepted.Known(ExecRecord record) -> new View(record, Optional.empty());
        };
    }

    /// The sandbox's open terminals, oldest first.
    public List<View> list(AgentId agent, Alias alias) {
        Sandbox sandbox = sandboxes.get(agent, alias);
        return watch.terminals().stream()
                .filter(exec -> exec.record().sandboxId().equals(sandbox.id()))
                .sorted(Comparator.comparing(exec -> exec.id().value()))
                .map(exec -> new View(exec.record(), Optional.of(live(exec))))
                .toList();
    }

    /// One terminal, also when it has ended.
    public View view(AgentId agent, Alias alias, String id) throws InterruptedException {
        ExecRecord record = commands.view(agent, alias, id, 0, 0, Duration.ZERO).record();
        if (record.terminal().isEmpty()) throw noTerminal(alias);
        return new View(record, watch.find(record.id()).map(this::live));
    }

    /// Throws unless the terminal is open.
    public LiveTerminal requireOpen(AgentId agent, Alias alias, String id) throws InterruptedException {
        View view = view(agent, alias, id);
        if (view.live().isEmpty() && view.record().outcome().isEmpty()) throw Commands.notWatched();
        return view.live().orElseThrow(() -> new Conflict("The terminal has ended"));
    }

    /// Begins to look at a terminal; see [LiveTerminal]. The caller closes it.
    public LiveTerminal.Viewer attach(AgentId agent, Alias alias, String id, boolean takeover)
            throws InterruptedException {
        return requireOpen(agent, alias, id).attach(takeover, world::now);
    }

    /// Ends it: a hang-up, TERM to its whole tree, KILL after the grace. Does nothing to one that has ended.
    public View end(AgentId agent, Alias alias, String id) throws InterruptedException {
        View view = view(agent, alias, id);
        view.live().ifPresent(LiveTerminal::hangUp);
        commands.cancel(agent, alias, id);
        return view;
    }

    /// Ends terminals that nobody looks at, and forgets those that have ended. Called now and then.
    public void sweep() {
        var now = world.now();
        for (LiveExec exec : watch.terminals()) {
            var terminal = live(exec);
            if (terminal.isUnwatched(UNWATCHED, now)) terminal.end();
        }
        live.keySet().removeIf(id -> watch.find(id).isEmpty());
    }

    private LiveTerminal live(LiveExec exec) {
        return live.computeIfAbsent(exec.id(), _ -> new LiveTerminal(exec, world.now()));
    }

    private static NotFound noTerminal(Alias alias) {
        return new NotFound("No such terminal in sandbox '%s'".formatted(alias));
    }
}
