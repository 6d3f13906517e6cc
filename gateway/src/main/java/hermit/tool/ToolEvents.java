package hermit.tool;

import hermit.problem.GatewayException;
import hermit.session.Author;
import hermit.session.SessionEvent;
import hermit.session.SessionEvent.Draft;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// What a session's log says of calls of tools. Each event names the author of its call.
public final class ToolEvents {
    /// Of output and content the log keeps the beginning; all that is kept of a command is found by its id.
    private static final int LONGEST_TEXT = 16_384;

    private static final LongText KEPT = new LongText(LONGEST_TEXT, 0);

    private ToolEvents() {}

    static Draft called(ToolCall call, Author author, Map<String, Object> more) {
        var data = about(call.id(), call.tool().toString(), author);
        data.put("call", call.summary());
        data.putAll(more);
        return new Draft(SessionEvent.Type.TOOL_CALL, data);
    }

    /// The beginning of what a command printed.
    private static Draft output(UUID callId, String tool, Author author, Map<String, Object> result) {
        var data = about(callId, tool, author);
        for (String key : new String[] {"exec_id", "encoding", "stdout", "stderr"})
            if (result.containsKey(key)) data.put(key, shortened(result.get(key)));
        return new Draft(SessionEvent.Type.TOOL_OUTPUT, data);
    }

    /// It was carried out: what it printed, where that is so, and its result.
    static List<Draft> done(UUID callId, String tool, Author author, Map<String, Object> result) {
        Draft ended = ended(callId, tool, author, result);
        return result.containsKey("stdout") ? List.of(output(callId, tool, author, result), ended) : List.of(ended);
    }

    private static Draft ended(UUID callId, String tool, Author author, Map<String, Object> result) {
        var data = about(callId, tool, author);
        data.put("state", "done");
        data.put("result", kept(result, "stdout", "stderr"));
        return new Draft(SessionEvent.Type.TOOL_RESULT, data);
    }

    /// It never began.
    static Draft refused(UUID callId, String tool, Author author, Map<String, Object> error, Map<String, Object> more) {
        var data = about(callId, tool, author);
        data.put("state", "failed");
        data.put("error", error);
        data.putAll(more);
        return new Draft(SessionEvent.Type.TOOL_RESULT, data);
    }

    static Draft failed(UUID callId, String tool, Author author, Map<String, Object> error) {
        var data = about(callId, tool, author);
        data.put("state", "failed");
        data.put("error", error);
        return new Draft(SessionEvent.Type.TOOL_RESULT, data);
    }

    /// It was approved, and has not been carried out, or nobody knows.
    public static Draft lost(UUID callId, String tool, Author author, String state, String reason) {
        var data = about(callId, tool, author);
        data.put("state", state);
        data.put("reason", reason);
        return new Draft(SessionEvent.Type.TOOL_RESULT, data);
    }

    static Map<String, Object> error(GatewayException e) {
        return Map.of("code", e.code().wire(), "detail", e.detail());
    }

    /// A result as it is kept: long texts cut, and some left out.
    static Map<String, Object> kept(Map<String, Object> result, String... without) {
        var kept = new LinkedHashMap<String, Object>();
        result.forEach((key, value) -> kept.put(key, shortened(value)));
        for (String key : without) kept.remove(key);
        if (!kept.isEmpty() && result.values().stream().anyMatch(ToolEvents::isLong)) kept.put("shortened", true);
        return kept;
    }

    private static Map<String, Object> about(UUID callId, String tool, Author author) {
        var data = new LinkedHashMap<String, Object>();
        data.put("call_id", callId.toString());
        data.put("tool", tool);
        data.put("author", author.name());
        return data;
    }

    private static boolean isLong(Object value) {
        return value instanceof String text && text.length() > LONGEST_TEXT;
    }

    private static Object shortened(Object value) {
        return value instanceof String text && isLong(text) ? KEPT.head(text) : value;
    }
}
