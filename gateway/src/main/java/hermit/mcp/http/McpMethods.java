package hermit.mcp.http;

import hermit.http.Reply;
import hermit.http.Request;
import hermit.mcp.Call.End;
import hermit.mcp.Calls;
import hermit.mcp.ResourceUri;
import hermit.mcp.WorkspaceFiles;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.Invalid;
import hermit.sandbox.Sandbox;
import hermit.sandbox.SandboxId;
import hermit.sandbox.SandboxView;
import hermit.sandbox.Sandboxes;
import hermit.session.Actor;
import hermit.session.Sessions.Entered;
import hermit.tool.Tool;
import hermit.tool.ToolPolicy;
import hermit.tool.ToolPolicy.Verdict;
import hermit.tool.ToolSchemas;
import hermit.world.World;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/// What a client can ask for in its session.
public final class McpMethods {
    private static final String CALL_TOOL = "tools/call";
    private static final String CANCELLED = "notifications/cancelled";

    /// Methods that records name; another one is whatever a client says.
    private static final Set<String> KNOWN = Set.of(
            "initialize",
            "ping",
            "tools/list",
            CALL_TOOL,
            "resources/list",
            "resources/templates/list",
            "resources/read",
            "notifications/initialized",
            CANCELLED);

    private final Sandboxes sandboxes;
    private final ToolSchemas schemas;
    private final Calls calls;
    private final WorkspaceFiles files;
    private final World world;

    public McpMethods(Sandboxes sandboxes, ToolSchemas schemas, Calls calls, WorkspaceFiles files, World world) {
        this.sandboxes = sandboxes;
        this.schemas = schemas;
        this.calls = calls;
        this.files = files;
        this.world = world;
    }

    /// Tells records what is asked for.
    void note(Request request, Message message) {
        String method = switch (message) {
            case Message.Request asked -> asked.method();
            case Message.Notification said -> said.method();
            case Message.Response _ -> "response";
        };
        request.note("method", KNOWN.contains(method) ? method : "other");
        if (message instanceof Message.Request asked && method.equals(CALL_TOOL))
            asked.params()
                    .optionalText("name")
                    .flatMap(McpMethods::tool)
                    .ifPresent(tool -> request.note("tool", tool.toString()));
    }

    /// What a notification says is done at once; one that is not known is ignored.
    void hear(Entered entered, Message.Notification said) {
        if (said.method().equals(CANCELLED)) said.params().requestId().ifPresent(id -> calls.cancel(entered, id));
    }

    /// What the list of tools is made of, for somebody at a moment: the tools themselves, and the sandboxes with the
    /// versions of their rows, which their descriptions tell of. As little as that, since each listener keeps one.
    record Offer(Set<Tool> tools, Map<SandboxId, Long> sandboxes) {}

    Offer offer(Actor actor) {
        var tools = Arrays.stream(Tool.values())
                .filter(tool ->
                        !(ToolPolicy.decide(actor.agent().policy(), actor.role(), tool) instanceof Verdict.Refused))
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Tool.class)));
        return new Offer(
                tools,
                sandboxes.storedOf(actor.agent().agentId()).stream()
                        .map(SandboxView::sandbox)
                        .collect(Collectors.toMap(Sandbox::id, Sandbox::version)));
    }

    private Object tools(Entered entered) {
        Actor actor = entered.actor();
        return Wire.tools(schemas.offered(
                actor.agent().policy(),
                actor.role(),
                sandboxes.storedOf(actor.agent().agentId())));
    }

    Reply answer(Request request, Entered entered, Message.Request asked) throws InterruptedException {
        try {
            return switch (asked.method()) {
                case "ping" -> Reply.ok(Wire.response(asked.id(), Map.of()));
                case "tools/list" -> Reply.ok(Wire.response(asked.id(), tools(entered)));
                case CALL_TOOL -> call(request, entered, asked);
                case "resources/list" ->
                    Reply.ok(Wire.response(
                            asked.id(),
                            Wire.resources(files.list(entered, asked.params().optionalText("cursor")))));
                case "resources/templates/list" -> Reply.ok(Wire.response(asked.id(), Wire.templates()));
                case "resources/read" -> read(request, entered, asked);
                default -> Reply.ok(Wire.error(asked.id(), Wire.METHOD_NOT_FOUND, "There is no such method"));
            };
        } catch (GatewayException e) {
            return Reply.ok(Wire.error(asked.id(), e));
        }
    }

    /// What a tool refuses or fails at is a result, for the model to read; what no tool is asked is an error.
    private Reply call(Request request, Entered entered, Message.Request asked) throws InterruptedException {
        String name = asked.params().text("name");
        Tool tool = tool(name).orElseThrow(() -> new Invalid("params.name", "no such tool"));
        Map<String, Object> arguments = asked.params().object("arguments");
        if (tool != Tool.EXEC_STATUS && arguments.containsKey("wait_ms"))
            throw new Invalid("params.arguments.wait_ms", "unknown field: the answer waits for as long as it takes");
        return carryOut(request, entered, asked, tool, arguments, end -> Results.ofTool(arguments, end));
    }

    private Reply read(Request request, Entered entered, Message.Request asked) throws InterruptedException {
        var uri = ResourceUri.parse(asked.params().text("uri"));
        var arguments = new LinkedHashMap<String, Object>();
        arguments.put("sandbox", uri.alias().value());
        arguments.put("path", uri.path());
        arguments.put("encoding", "base64");
        return carryOut(request, entered, asked, Tool.READ_FILE, arguments, end -> Results.ofResource(uri, end));
    }

    private Reply carryOut(
            Request request,
            Entered entered,
            Message.Request asked,
            Tool tool,
            Map<String, Object> arguments,
            Function<End, Object> result)
            throws InterruptedException {
        boolean streamed = request.wantsEvents();
        if (streamed) request.reserveStream();
        var call = calls.begin(entered, asked.id(), tool, arguments);
        var telling = new Telling(call, asked, end -> message(asked, end, result), world);
        return streamed ? new Reply.Events(telling, () -> {}) : Reply.ok(telling.await());
    }

    private static Object message(Message.Request asked, End end, Function<End, Object> result) {
        try {
            return Wire.response(asked.id(), result.apply(end));
        } catch (GatewayException e) {
            return Wire.error(asked.id(), e);
        }
    }

    private static Optional<Tool> tool(String name) {
        return Arrays.stream(Tool.values())
                .filter(each -> each.toString().equals(name))
                .findFirst();
    }
}
