package hermit.fake.daytona;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.fake.daytona.Toolbox.Visit;
import io.javalin.config.JavalinConfig;
import io.javalin.http.HandlerType;
import io.javalin.websocket.WsConfig;
import io.javalin.websocket.WsContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// PTYs over WebSockets.
final class TerminalRoutes {
    /// As the daemon allows for one message.
    static final int LARGEST_MESSAGE = 64 << 10;

    private static final String ENVS = "X-Daytona-Pty-Envs~";
    private static final String EXIT_CONTROL = "X-Daytona-Pty-Exit-Control";
    private static final Duration IDLE = Duration.ofMinutes(30);

    private final Toolbox toolbox;
    private final Terminals terminals;
    private final boolean old;

    TerminalRoutes(Toolbox toolbox, Terminals terminals, Settings settings) {
        this.toolbox = toolbox;
        this.terminals = terminals;
        this.old = settings.oldDaemon();
    }

    void add(JavalinConfig config) {
        toolbox.on(config, HandlerType.POST, "/process/pty", "pty-create", this::create);
        toolbox.on(
                config,
                HandlerType.GET,
                "/process/pty",
                "pty",
                visit -> Wire.json(
                        visit.context(),
                        200,
                        Map.of("sessions", terminals.list(visit.machine().id()))));
        toolbox.on(
                config,
                HandlerType.GET,
                "/process/pty/{pty}",
                "pty",
                visit -> Wire.json(visit.context(), 200, terminals.known(visit).show()));
        toolbox.on(config, HandlerType.DELETE, "/process/pty/{pty}", "pty-delete", visit -> {
            terminals.known(visit).kill();
            Wire.json(visit.context(), 200, Map.of("message", "PTY session deleted"));
        });
        toolbox.on(config, HandlerType.POST, "/process/pty/{pty}/resize", "pty", this::resize);
        if (!old) {
            toolbox.beforeUpgrade(config, "/process/pty/create-connect", "pty-connect", this::createBefore);
            config.routes.ws(Toolbox.BASE + "/process/pty/create-connect", this::socket);
        }
        toolbox.beforeUpgrade(config, "/process/pty/{pty}/connect", "pty-connect", _ -> {});
        config.routes.ws(Toolbox.BASE + "/process/pty/{pty}/connect", this::socket);
    }

    private void create(Visit visit) throws InterruptedException {
        var body = Json.read(visit.context().bodyAsBytes());
        String id = body.path("id").asText();
        terminals.create(
                visit,
                id,
                Optional.ofNullable(body.get("cwd")).map(JsonNode::asText),
                Json.texts(body.path("envs")),
                body.path("cols").asInt(80),
                body.path("rows").asInt(24));
        Wire.json(visit.context(), 201, Map.of("sessionId", id));
    }

    private void createBefore(Visit visit) throws InterruptedException {
        var context = visit.context();
        Map<String, String> envs = protocols(context.header("Sec-WebSocket-Protocol")).stream()
                .filter(each -> each.startsWith(ENVS))
                .findFirst()
                .map(each -> Json.texts(Json.read(Base64.getUrlDecoder().decode(each.substring(ENVS.length())))))
                .orElse(Map.of());
        terminals.create(
                visit,
                visit.query("id"),
                Optional.ofNullable(context.queryParam("cwd")),
                envs,
                size(visit, "cols", 80),
                size(visit, "rows", 24));
    }

    private static int size(Visit visit, String name, int standard) {
        try {
            String given = visit.context().queryParam(name);
            return given == null ? standard : Integer.parseInt(given);
        } catch (NumberFormatException e) {
            throw Refused.badRequest(name + " must be a number");
        }
    }

    private void resize(Visit visit) throws InterruptedException {
        var body = Json.read(visit.context().bodyAsBytes());
        int cols = body.path("cols").asInt();
        int rows = body.path("rows").asInt();
        Terminals.check(cols, rows);
        var terminal = terminals.known(visit);
        terminal.resize(cols, rows);
        Wire.json(visit.context(), 200, terminal.show());
    }

    private void socket(WsConfig socket) {
        socket.onConnect(this::connected);
        socket.onBinaryMessage(context -> {
            byte[] bytes = new byte[context.data().remaining()];
            context.data().get(bytes);
            type(context, bytes);
        });
        socket.onMessage(context -> type(context, context.message().getBytes(StandardCharsets.UTF_8)));
        socket.onClose(this::gone);
        socket.onError(this::gone);
    }

    private void connected(WsContext context) {
        context.session.setIdleTimeout(IDLE);
        boolean exitControl =
                !old && protocols(context.header("Sec-WebSocket-Protocol")).contains(EXIT_CONTROL);
        var viewer = new Viewer(context.session, exitControl, Optional.ofNullable(context.attribute("cut")));
        context.attribute("viewer", viewer);
        toolbox.machine(context.pathParam("id")).ifPresent(machine -> machine.streams(1));
        String id = context.pathParamMap()
                .getOrDefault(
                        "pty", Optional.ofNullable(context.queryParam("id")).orElse(""));
        var terminal = terminals.find(context.pathParam("id"), id);
        if (terminal.isEmpty()) {
            viewer.refuse("Failed to connect to PTY session: PTY session %s not found".formatted(id));
            return;
        }
        context.attribute("terminal", terminal.get());
        terminal.get().attach(viewer);
    }

    private static void type(WsContext context, byte[] bytes) {
        Terminal terminal = context.attribute("terminal");
        if (terminal != null) terminal.type(bytes);
    }

    private void gone(WsContext context) {
        Viewer viewer = context.attribute("viewer");
        Terminal terminal = context.attribute("terminal");
        context.attribute("viewer", null);
        if (viewer == null) return;
        viewer.gone();
        if (terminal != null) terminal.detach(viewer);
        toolbox.machine(context.pathParam("id")).ifPresent(machine -> machine.streams(-1));
    }

    private static List<String> protocols(@org.jspecify.annotations.Nullable String header) {
        return header == null
                ? List.of()
                : Arrays.stream(header.split(",")).map(String::strip).toList();
    }
}
