package hermit.fake.daytona;

import hermit.fake.FakeFailure;
import hermit.fake.daytona.Toolbox.Visit;
import io.javalin.config.JavalinConfig;
import io.javalin.http.HandlerType;
import io.javalin.websocket.WsContext;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import org.eclipse.jetty.websocket.api.Callback;

/// Sessions, and the logs of their commands. Answers as to a client of version 0.167 and later, or without
/// marks to one that names no version.
final class SessionRoutes {
    private static final String COMMAND = "/process/session/{session}/command/{command}";
    private static final int MESSAGE = 1_024;
    private static final int SILENCE_MILLIS = 100;

    private final Toolbox toolbox;
    private final Map<String, Session> sessions = new ConcurrentHashMap<>();

    SessionRoutes(Toolbox toolbox) {
        this.toolbox = toolbox;
    }

    void add(JavalinConfig config) {
        toolbox.on(config, HandlerType.POST, "/process/session", "session", this::create);
        toolbox.on(config, HandlerType.GET, "/process/session", "session", this::list);
        toolbox.on(
                config,
                HandlerType.GET,
                "/process/session/{session}",
                "session",
                visit -> Wire.json(visit.context(), 200, find(visit).show()));
        toolbox.on(config, HandlerType.DELETE, "/process/session/{session}", "session", visit -> {
            find(visit).close();
            sessions.remove(key(visit, visit.context().pathParam("session")));
            visit.context().status(204);
        });
        toolbox.on(config, HandlerType.POST, "/process/session/{session}/exec", "session-exec", this::exec);
        toolbox.on(
                config,
                HandlerType.GET,
                COMMAND,
                "session",
                visit -> Wire.json(visit.context(), 200, find(visit).show(command(visit))));
        toolbox.on(config, HandlerType.GET, COMMAND + "/logs", "session-logs", this::logs);
        toolbox.on(config, HandlerType.POST, COMMAND + "/input", "session", visit -> {
            String data = Json.read(visit.context().bodyAsBytes()).path("data").asText();
            find(visit).type(command(visit), data);
            visit.context().status(204);
        });
        toolbox.beforeUpgrade(config, COMMAND + "/logs", "session-follow", visit -> {
            visit.context().attribute("session", find(visit));
            visit.context().attribute("logged", command(visit));
        });
        config.routes.ws(
                Toolbox.BASE + COMMAND + "/logs",
                socket -> socket.onConnect(
                        context -> Thread.ofVirtual().name("daytona-follow").start(() -> follow(context))));
    }

    private void create(Visit visit) throws InterruptedException {
        String id = Json.read(visit.context().bodyAsBytes()).path("sessionId").asText();
        if (id.isEmpty() || id.equals("entrypoint")) throw Refused.badRequest("invalid session id");
        String key = key(visit, id);
        if (sessions.containsKey(key)) throw Refused.daemon(409, "CONFLICT", "conflict: session already exists");
        sessions.put(key, Session.open(visit, id));
        visit.context().status(201);
    }

    private void list(Visit visit) throws InterruptedException {
        List<Object> all = new ArrayList<>();
        for (var each : sessions.entrySet())
            if (each.getKey().startsWith(visit.machine().id() + "/"))
                all.add(each.getValue().show());
        Wire.json(visit.context(), 200, all);
    }

    private void exec(Visit visit) throws InterruptedException {
        var body = Json.read(visit.context().bodyAsBytes());
        boolean async = body.path("runAsync").asBoolean(body.path("async").asBoolean(false));
        var session = find(visit);
        var command = session.start(body.path("command").asText(), async);
        var answer = Json.object().put("cmdId", command.id());
        if (async) {
            answer.putNull("output").putNull("stdout").putNull("stderr").putNull("exitCode");
            Wire.json(visit.context(), 202, answer);
            return;
        }
        int code = session.await(command);
        byte[] log = session.log(command, 0);
        var marked = new Marked(log);
        answer.put("output", text(knowsMarks(visit) ? log : marked.both()));
        if (knowsMarks(visit)) answer.put("stdout", text(marked.stdout())).put("stderr", text(marked.stderr()));
        Wire.json(visit.context(), 200, answer.put("exitCode", code));
    }

    private void logs(Visit visit) throws InterruptedException {
        byte[] log = find(visit).log(command(visit), 0);
        var marked = new Marked(log);
        if (knowsMarks(visit)) {
            var json = Json.object().put("output", text(log)).put("stdout", text(marked.stdout()));
            Wire.json(visit.context(), 200, json.put("stderr", text(marked.stderr())));
            return;
        }
        boolean split = "true".equals(visit.context().header("X-Daytona-Split-Output"));
        visit.context().contentType("text/plain; charset=utf-8").result(split ? log : marked.both());
    }

    /// From the beginning, and then what comes, until the command has ended and nothing more came.
    private static void follow(WsContext context) {
        Session session = context.attribute("session");
        Session.Command command = context.attribute("logged");
        if (session == null || command == null) return;
        try {
            long sent = 0;
            boolean ended = false;
            while (context.session.isOpen()) {
                byte[] more = session.log(command, sent);
                for (int i = 0; i < more.length; i += MESSAGE) {
                    var done = new Callback.Completable();
                    var piece = Arrays.copyOfRange(more, i, Math.min(more.length, i + MESSAGE));
                    context.session.sendBinary(ByteBuffer.wrap(piece), done);
                    done.get();
                }
                sent += more.length;
                if (ended && more.length == 0) {
                    context.session.close(1000, "", Callback.NOOP);
                    return;
                }
                ended = session.code(command).isPresent();
                if (!ended) Thread.sleep(SILENCE_MILLIS);
            }
        } catch (InterruptedException | ExecutionException | Refused | FakeFailure e) {
            context.session.close(1011, "", Callback.NOOP);
        }
    }

    private static boolean knowsMarks(Visit visit) {
        return visit.context().header("X-Daytona-SDK-Version") != null;
    }

    private Session find(Visit visit) {
        var session = sessions.get(key(visit, visit.context().pathParam("session")));
        if (session == null) throw Refused.daemon(404, "NOT_FOUND", "not found: session not found");
        return session;
    }

    private Session.Command command(Visit visit) {
        return find(visit).command(visit.context().pathParam("command"));
    }

    private static String key(Visit visit, String session) {
        return visit.machine().id() + "/" + session;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
