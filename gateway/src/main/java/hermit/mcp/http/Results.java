package hermit.mcp.http;

import hermit.approval.Approval;
import hermit.approval.Approval.Settlement;
import hermit.json.Json;
import hermit.mcp.Call.End;
import hermit.mcp.ResourceUri;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.Forbidden;
import hermit.problem.GatewayException.NotFound;
import hermit.problem.GatewayException.Refused;
import hermit.problem.ProblemCode;
import hermit.tool.ShownResult;
import io.modelcontextprotocol.spec.McpSchema;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// How a call ended, as a client of MCP is told.
final class Results {
    private Results() {}

    /// Of a tool: its result, of long output head and tail, or what the model is to know of why there is none.
    /// `arguments`: those that it was called with.
    static Object ofTool(Map<String, Object> arguments, End end) {
        return switch (end) {
            case End.Done(var result)
            when result.get("error") instanceof Map<?, ?> error && !result.containsKey("exec_id") ->
                failed(copy(error));
            case End.Done(var result) -> {
                var shown = result.containsKey("stdout") ? ShownResult.of(arguments, result) : result;
                yield result(ResultText.of(shown), shown, shown.containsKey("error"));
            }
            case End.NotDone(Approval approval) -> failed(notDone(approval));
            case End.Failed(var why) -> failed(Wire.problem(why));
            case End.Broken _ ->
                failed(Map.of(
                        "code",
                        ProblemCode.INTERNAL.wire(),
                        "detail",
                        "Something went wrong inside the gateway; its log says more"));
        };
    }

    /// Of reading a resource. Throws a [hermit.problem.GatewayException] where there is none to give.
    static Object ofResource(ResourceUri uri, End end) {
        return switch (end) {
            case End.Done(var result)
            when result.get("content") instanceof String content -> {
                boolean shortened = Boolean.TRUE.equals(result.get("shortened"));
                if (shortened || Boolean.TRUE.equals(result.get("truncated")))
                    throw new Refused(
                            ProblemCode.TOO_LARGE,
                            "The file has %s bytes, too many for a resource%s; read_file gives pieces of it"
                                    .formatted(result.get("size"), shortened ? " that a person has to approve" : ""));
                yield new McpSchema.ReadResourceResult(List.of(contents(uri, content)), null);
            }
            case End.Done(var result) -> throw new NotFound(detail(result));
            case End.NotDone(Approval approval) ->
                throw new Forbidden(String.valueOf(notDone(approval).get("detail")));
            case End.Failed(var why) -> throw why;
            case End.Broken _ -> throw new Conflict("Something went wrong inside the gateway; its log says more");
        };
    }

    private static McpSchema.ResourceContents contents(ResourceUri uri, String base64) {
        byte[] bytes = Base64.getDecoder().decode(base64);
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            if (text.indexOf('\0') < 0)
                return new McpSchema.TextResourceContents(uri.toString(), "text/plain", text, null);
        } catch (CharacterCodingException e) {
            return new McpSchema.BlobResourceContents(uri.toString(), "application/octet-stream", base64, null);
        }
        return new McpSchema.BlobResourceContents(uri.toString(), "application/octet-stream", base64, null);
    }

    private static Map<String, Object> notDone(Approval approval) {
        String reason = approval.settlement()
                .flatMap(Settlement::reason)
                .map(each -> ": " + each)
                .orElse("");
        var result = new LinkedHashMap<String, Object>();
        result.put("code", approval.state().toString());
        result.put(
                "detail",
                switch (approval.state()) {
                    case DENIED -> "A person has denied this call" + reason;
                    case EXPIRED -> "Nobody has approved this call in time";
                    case UNKNOWN -> "Whether this call was carried out cannot be learned" + reason;
                    default -> "This call was not carried out" + reason;
                });
        result.put("approval_id", approval.id().toString());
        return result;
    }

    private static Object failed(Map<String, Object> problem) {
        return result(List.of(detail(problem)), problem, true);
    }

    private static Object result(List<String> texts, Map<String, Object> structured, boolean isError) {
        return McpSchema.CallToolResult.builder()
                .textContent(texts)
                .structuredContent(structured)
                .isError(isError)
                .build();
    }

    private static String detail(Map<String, Object> problem) {
        return problem.get("detail") instanceof String detail ? detail : Json.write(problem);
    }

    private static Map<String, Object> copy(Map<?, ?> document) {
        var copy = new LinkedHashMap<String, Object>();
        document.forEach((name, value) -> copy.put(String.valueOf(name), value));
        return copy;
    }
}
