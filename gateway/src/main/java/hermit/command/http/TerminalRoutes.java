package hermit.command.http;

import hermit.agent.AgentId;
import hermit.api.Page;
import hermit.command.TerminalRequest;
import hermit.command.Terminals;
import hermit.http.Reply;
import hermit.http.Request;
import hermit.http.Route;
import hermit.http.Routes;
import hermit.sandbox.Alias;
import java.util.List;
import java.util.Optional;

/// Terminals of a sandbox: made, listed and ended by requests, looked at through a WebSocket.
public final class TerminalRoutes implements Routes {
    private static final String ALL = "/api/agents/{id}/sandboxes/{alias}/terminals";
    private static final String ONE = ALL + "/{tid}";

    private final Terminals terminals;

    public TerminalRoutes(Terminals terminals) {
        this.terminals = terminals;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get(ALL, this::list),
                Route.post(ALL, this::open),
                Route.get(ONE, this::get),
                Route.delete(ONE, this::end),
                Route.socket(ONE, this::attach).withQuery("takeover", "ticket"));
    }

    private Reply list(Request request) {
        var open = terminals.list(agent(request), alias(request)).stream()
                .map(TerminalJson::terminal)
                .toList();
        return Reply.ok(new Page<>(open, Optional.empty()));
    }

    private Reply open(Request request) throws InterruptedException {
        var view = terminals.open(
                agent(request),
                alias(request),
                TerminalRequest.read(request.body()),
                request.caller().recordedAs());
        return Reply.created(location(request, view), TerminalJson.terminal(view));
    }

    private Reply get(Request request) throws InterruptedException {
        return Reply.ok(TerminalJson.terminal(terminals.view(agent(request), alias(request), request.path("tid"))));
    }

    private Reply end(Request request) throws InterruptedException {
        var view = terminals.end(agent(request), alias(request), request.path("tid"));
        var terminal = TerminalJson.terminal(view);
        return view.live().isPresent() ? Reply.accepted(location(request, view), terminal) : Reply.ok(terminal);
    }

    private Reply attach(Request request) throws InterruptedException {
        boolean takeover = request.query().flag("takeover");
        // Looked up before the handshake, so that a refusal is an ordinary answer; attached when there is a connection.
        terminals.requireOpen(agent(request), alias(request), request.path("tid"));
        return new Reply.Upgrade(new TerminalSocket(
                () -> terminals.attach(agent(request), alias(request), request.path("tid"), takeover)));
    }

    private static String location(Request request, Terminals.View view) {
        return "/api/agents/%s/sandboxes/%s/terminals/%s"
                .formatted(agent(request), alias(request), view.record().id());
    }

    private static AgentId agent(Request request) {
        return AgentId.inPath(request.path("id"));
    }

    private static Alias alias(Request request) {
        return Alias.inPath(request.path("alias"));
    }
}
