package hermit.command.http;

import hermit.agent.AgentId;
import hermit.command.Commands;
import hermit.command.Commands.Accepted;
import hermit.command.ExecFilter;
import hermit.command.ExecRecord;
import hermit.command.ExecRequest;
import hermit.command.ExecRequest.Encoding;
import hermit.command.ExecView;
import hermit.command.LiveExec;
import hermit.exec.ExecId;
import hermit.http.Pages;
import hermit.http.Query;
import hermit.http.Reply;
import hermit.http.Request;
import hermit.http.Route;
import hermit.http.Route.Streaming;
import hermit.http.Routes;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.NotFound;
import hermit.problem.ProblemCode;
import hermit.sandbox.Alias;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Running commands in a sandbox, and what became of them.
public final class ExecRoutes implements Routes {
    private static final String ALL = "/api/agents/{id}/sandboxes/{alias}/execs";
    private static final String ONE = ALL + "/{exec_id}";
    /// A command of 1 MiB and an input of 8 MiB, the one with each second character escaped, the other as
    /// base64 or with as many escapes; what they hold is measured exactly when they have been read.
    private static final int BODY_LIMIT = 20 << 20;
    /// Proxies give up after about a minute; who wants to wait longer asks again.
    private static final long MAX_WAIT_MS = 60_000;

    private final Commands commands;

    public ExecRoutes(Commands commands) {
        this.commands = commands;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get(ALL, this::list).withQuery("limit", "cursor", "open"),
                Route.post(ALL, this::start).withBodyLimit(BODY_LIMIT).withEvents(Streaming.WHEN_ASKED),
                Route.get(ONE, this::get).withQuery("stdout_offset", "stderr_offset", "wait_ms", "encoding"),
                Route.delete(ONE, this::cancel),
                Route.get(ONE + "/events", this::events)
                        .withQuery("encoding", "ticket")
                        .withEvents(Streaming.ALWAYS),
                Route.post(ONE + "/stdin", this::stdin).withBodyLimit(BODY_LIMIT),
                Route.post(ONE + "/signal", this::signal));
    }

    private Reply list(Request request) {
        var page = request.query().page(key -> ExecId.parse(key).isPresent());
        ExecFilter filter = request.query().flag("open") ? ExecFilter.OPEN : ExecFilter.ALL;
        return Pages.reply(commands.list(agent(request), alias(request), filter, page), ExecJson::summary);
    }

    private Reply start(Request request) throws InterruptedException {
        boolean streamed = request.wantsEvents();
        var wanted = ExecRequest.read(request.body(), commands.limits(), streamed);
        String digest = wanted.idempotencyKey().isPresent() ? request.bodySha256() : "";
        Accepted accepted = commands.start(
                agent(request), alias(request), wanted, request.caller().recordedAs(), digest);
        if (streamed) return stream(request, accepted, wanted);
        return switch (accepted) {
            case Accepted.Running running -> {
                if (!wanted.background()) running.exec().awaitEnd();
                yield answer(request, commands.answer(running.exec()), wanted);
            }
            case Accepted.Known(ExecRecord record) -> answer(request, commands.answer(record), wanted);
        };
    }

    private static Reply answer(Request request, ExecView view, ExecRequest wanted) {
        var result = ExecJson.result(view, wanted.encoding());
        return wanted.background() ? Reply.accepted(location(request, view.record()), result) : Reply.ok(result);
    }

    private Reply stream(Request request, Accepted accepted, ExecRequest wanted) throws InterruptedException {
        return switch (accepted) {
            case Accepted.Running(LiveExec exec, Optional<LiveExec.Follower> reader) ->
                new Reply.Events(
                        stream -> ExecEvents.follow(
                                stream, exec, reader.orElseGet(() -> exec.follow(0, 0, true)), wanted.encoding()),
                        () -> {
                            if (wanted.cancelOnDisconnect()) cancelLeft(request, exec.id());
                        });
            case Accepted.Known(ExecRecord record) -> {
                ExecView view = commands.answer(record);
                yield new Reply.Events(
                        stream -> ExecEvents.replay(stream, view, EventPosition.START, wanted.encoding()), () -> {});
            }
        };
    }

    private void cancelLeft(Request request, ExecId id) {
        try {
            commands.cancel(agent(request), alias(request), id.toString());
        } catch (NotFound e) {
            // The sandbox has been deleted meanwhile, and its commands were cancelled with it.
        }
    }

    private Reply get(Request request) throws InterruptedException {
        Query query = request.query();
        ExecView view = commands.view(
                agent(request),
                alias(request),
                request.path("exec_id"),
                query.integer("stdout_offset", 0, Long.MAX_VALUE).orElse(0L),
                query.integer("stderr_offset", 0, Long.MAX_VALUE).orElse(0L),
                Duration.ofMillis(query.integer("wait_ms", 0, MAX_WAIT_MS).orElse(0L)));
        return Reply.ok(ExecJson.result(view, encoding(query)));
    }

    private Reply cancel(Request request) {
        ExecRecord record = commands.cancel(agent(request), alias(request), request.path("exec_id"));
        var summary = ExecJson.summary(record);
        return record.outcome().isPresent() ? Reply.ok(summary) : Reply.accepted(location(request, record), summary);
    }

    private Reply events(Request request) throws InterruptedException {
        EventPosition from =
                request.header("Last-Event-ID").map(EventPosition::parse).orElse(EventPosition.START);
        Encoding encoding = encoding(request.query());
        Optional<LiveExec> live = commands.live(agent(request), alias(request), request.path("exec_id"));
        if (live.isPresent()) {
            LiveExec exec = live.get();
            return new Reply.Events(
                    stream ->
                            ExecEvents.follow(stream, exec, exec.follow(from.stdout(), from.stderr(), false), encoding),
                    () -> {});
        }
        ExecView view = commands.view(
                agent(request), alias(request), request.path("exec_id"), from.stdout(), from.stderr(), Duration.ZERO);
        if (view.record().outcome().isEmpty())
            throw new Conflict(
                    ProblemCode.CONFLICT,
                    "The command is not watched by this gateway right now; try again",
                    Duration.ofSeconds(1));
        return new Reply.Events(stream -> ExecEvents.replay(stream, view, from, encoding), () -> {});
    }

    private Reply stdin(Request request) {
        var piece = Commands.readStdin(request.body());
        commands.stdin(agent(request), alias(request), request.path("exec_id"), piece.bytes(), piece.close());
        return Reply.noContent();
    }

    private Reply signal(Request request) {
        var fields = request.fields();
        Object signal = fields.required("signal", fields.any("signal"), "");
        fields.finish();
        commands.signal(agent(request), alias(request), request.path("exec_id"), Commands.signalNumber(signal));
        return Reply.noContent();
    }

    private static Encoding encoding(Query query) {
        return query.word("encoding", Encoding.class).orElse(Encoding.UTF8);
    }

    private static String location(Request request, ExecRecord record) {
        return "/api/agents/%s/sandboxes/%s/execs/%s".formatted(agent(request), alias(request), record.id());
    }

    private static AgentId agent(Request request) {
        return AgentId.inPath(request.path("id"));
    }

    private static Alias alias(Request request) {
        return Alias.inPath(request.path("alias"));
    }
}
