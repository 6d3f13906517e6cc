package hermit.mcp.http;

import hermit.agent.AgentId;
import hermit.mcp.ResourceUri;
import hermit.mcp.WorkspaceFiles.WorkspaceFile;
import hermit.paging.Page;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.GatewayException.NotFound;
import hermit.tool.Tool;
import hermit.tool.ToolSchema;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.ProtocolVersions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Messages as they travel, in the types of the official SDK.
final class Wire {
    static final String INITIALIZE = McpSchema.METHOD_INITIALIZE;
    static final int METHOD_NOT_FOUND = McpSchema.ErrorCodes.METHOD_NOT_FOUND;
    /// The protocol has no number for a refusal; this is the one that is left to servers.
    static final int REFUSED = -32_000;

    private static final List<String> VERSIONS =
            List.of(ProtocolVersions.MCP_2025_11_25, ProtocolVersions.MCP_2025_06_18, ProtocolVersions.MCP_2025_03_26);

    /// The gateway's, as in `/openapi.json`.
    private static final String GATEWAY_VERSION = "0.1.0";

    private Wire() {}

    private static String instructions(AgentId agent) {
        return """
                These tools run commands and handle files in the sandboxes of the agent '%s', separate computers with \
                Linux. Commands do not see this machine's files. Paths are absolute, or from the home directory of the \
                sandbox. Some calls wait until a person has approved them; a denial is final. Of what a \
                command prints at length, head and tail are shown: exec_status gives what lies between.""".formatted(agent);
    }

    /// The version that is spoken with a client that would like this one.
    static String agreed(String wanted) {
        return VERSIONS.contains(wanted) ? wanted : VERSIONS.getFirst();
    }

    /// Throws [Invalid] for a version that has not been agreed upon.
    static void requireKnown(String version) {
        if (!VERSIONS.contains(version))
            throw new Invalid("MCP-Protocol-Version", "is none of " + String.join(", ", VERSIONS));
    }

    static Object response(Object id, Object result) {
        return new McpSchema.JSONRPCResponse(McpSchema.JSONRPC_VERSION, id, result, null);
    }

    static Object error(Object id, int code, String message) {
        return error(id, code, message, null);
    }

    /// What is wrong with the request is told apart from what keeps it from being carried out.
    static Object error(Object id, GatewayException e) {
        int code = switch (e) {
            case Invalid _ -> McpSchema.ErrorCodes.INVALID_PARAMS;
            case NotFound _ -> McpSchema.ErrorCodes.RESOURCE_NOT_FOUND;
            default -> REFUSED;
        };
        return error(id, code, e.detail(), problem(e));
    }

    private static Object error(Object id, int code, String message, @Nullable Object data) {
        var error = new McpSchema.JSONRPCResponse.JSONRPCError(code, message, data);
        return new McpSchema.JSONRPCResponse(McpSchema.JSONRPC_VERSION, id, null, error);
    }

    /// The fields of a problem that say something here.
    static Map<String, Object> problem(GatewayException e) {
        var problem = new LinkedHashMap<String, Object>();
        problem.put("code", e.code().wire());
        problem.put("detail", e.detail());
        if (!e.errors().isEmpty())
            problem.put(
                    "errors",
                    e.errors().stream()
                            .map(each -> Map.of("path", each.path(), "message", each.message()))
                            .toList());
        e.retryAfter().map(Duration::toMillis).ifPresent(millis -> problem.put("retry_after_ms", millis));
        return problem;
    }

    static Object progress(Object token, long step, String message) {
        return notification(
                McpSchema.METHOD_NOTIFICATION_PROGRESS,
                new McpSchema.ProgressNotification(token, (double) step, null, message, null));
    }

    static Object toolsChanged() {
        return notification(McpSchema.METHOD_NOTIFICATION_TOOLS_LIST_CHANGED, Map.of());
    }

    private static Object notification(String method, Object params) {
        return new McpSchema.JSONRPCNotification(McpSchema.JSONRPC_VERSION, method, params);
    }

    static Object welcome(String version, AgentId agent) {
        var capabilities = McpSchema.ServerCapabilities.builder()
                .tools(true)
                .resources(false, false)
                .build();
        var server = McpSchema.Implementation.builder("hermit", GATEWAY_VERSION)
                .title("Hermit sandbox gateway")
                .build();
        return new McpSchema.InitializeResult(version, capabilities, server, instructions(agent), null);
    }

    static Object tools(List<ToolSchema> offered) {
        return new McpSchema.ListToolsResult(offered.stream().map(Wire::tool).toList(), null, null);
    }

    private static McpSchema.Tool tool(ToolSchema schema) {
        return McpSchema.Tool.builder(schema.tool().toString(), schema.input())
                .title(schema.title())
                .description(schema.description())
                .annotations(annotations(schema))
                .build();
    }

    /// Hints for whoever decides what a model may call without asking. Commands can do anything, and reach whatever the
    /// sandbox reaches.
    private static McpSchema.ToolAnnotations annotations(ToolSchema schema) {
        Tool tool = schema.tool();
        boolean reads = !tool.acts() && tool != Tool.EXEC_CANCEL;
        boolean repeatable = switch (tool) {
            case EXEC, EXEC_BACKGROUND, EDIT_FILE -> false;
            case EXEC_STATUS, EXEC_CANCEL, READ_FILE, WRITE_FILE, LIST_FILES -> true;
        };
        return new McpSchema.ToolAnnotations(schema.title(), reads, !reads, repeatable, tool.runs(), null);
    }

    static Object resources(Page<WorkspaceFile> page) {
        var resources = page.items().stream().map(Wire::resource).toList();
        return new McpSchema.ListResourcesResult(resources, page.next().orElse(null), null);
    }

    private static McpSchema.Resource resource(WorkspaceFile file) {
        return McpSchema.Resource.builder(file.uri().toString(), file.info().name())
                .size(file.info().size())
                .build();
    }

    static Object templates() {
        var template = McpSchema.ResourceTemplate.builder(ResourceUri.TEMPLATE, "file")
                .title("A file of a sandbox")
                .description("By the sandbox's alias and the file's absolute path; at most 1 MiB.")
                .build();
        return new McpSchema.ListResourceTemplatesResult(List.of(template), null, null);
    }
}
