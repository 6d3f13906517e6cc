package hermit.tool;

import hermit.command.ExecLimits;
import hermit.command.ExecRequest;
import hermit.command.ExecRequest.Encoding;
import hermit.exec.ExecId;
import hermit.paging.PageRequest;
import hermit.problem.Fields;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.GatewayException.Refused;
import hermit.problem.ProblemCode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// What a tool is called with, checked.
sealed interface ToolArguments {
    /// The bytes of a file that one call reads or writes.
    int MOST_BYTES = 1 << 20;

    /// Proxies give up after about a minute; who wants to wait longer asks again.
    long MAX_WAIT_MS = 60_000;

    record Run(ExecRequest request) implements ToolArguments {}

    record Status(ExecId exec, long stdoutOffset, long stderrOffset, Duration patience, Encoding encoding)
            implements ToolArguments {}

    record Cancel(ExecId exec) implements ToolArguments {}

    record Read(String path, long offset, int length, Encoding encoding) implements ToolArguments {}

    /// The array is not copied: nobody changes it.
    @SuppressWarnings("ArrayRecordComponent")
    record Write(String path, byte[] content) implements ToolArguments {}

    record Edit(String path, String oldText, String newText, boolean all) implements ToolArguments {}

    record ListFiles(String path, PageRequest page) implements ToolArguments {}

    /// Throws [Invalid] with all mistakes.
    static ToolArguments read(Tool tool, Map<String, Object> document, ExecLimits limits) {
        if (tool.runs()) return run(tool, document, limits);
        var fields = Fields.of(document);
        ToolArguments arguments = switch (tool) {
            case EXEC_STATUS ->
                new Status(
                        exec(fields),
                        fields.integer("stdout_offset", 0, Long.MAX_VALUE).orElse(0L),
                        fields.integer("stderr_offset", 0, Long.MAX_VALUE).orElse(0L),
                        Duration.ofMillis(
                                fields.integer("wait_ms", 0, MAX_WAIT_MS).orElse(0L)),
                        encoding(fields));
            case EXEC_CANCEL -> new Cancel(exec(fields));
            case READ_FILE ->
                new Read(
                        path(fields),
                        fields.integer("offset", 0, Long.MAX_VALUE / 2).orElse(0L),
                        fields.integer("length", 1, MOST_BYTES)
                                .orElse((long) MOST_BYTES)
                                .intValue(),
                        encoding(fields));
            case WRITE_FILE -> new Write(path(fields), content(fields));
            case EDIT_FILE -> edit(fields);
            case LIST_FILES ->
                new ListFiles(
                        path(fields),
                        new PageRequest(
                                fields.text("after"),
                                fields.integer("limit", 1, PageRequest.MAX_LIMIT)
                                        .orElse((long) PageRequest.MAX_LIMIT)
                                        .intValue()));
            case EXEC, EXEC_BACKGROUND -> throw new IllegalArgumentException("a command: " + tool);
        };
        fields.finish();
        return arguments;
    }

    private static Run run(Tool tool, Map<String, Object> document, ExecLimits limits) {
        for (String key : List.of("background", "stdin_open", "cancel_on_disconnect", "idempotency_key"))
            if (document.containsKey(key)) throw new Invalid(key, "unknown field");
        var whole = new LinkedHashMap<>(document);
        whole.put("background", tool == Tool.EXEC_BACKGROUND);
        return new Run(ExecRequest.read(whole, limits, false));
    }

    private static Edit edit(Fields fields) {
        String before = fields.required("old_text", fields.text("old_text"), "");
        String after = fields.required("new_text", fields.text("new_text"), "");
        if (fields.has("old_text") && before.isEmpty()) fields.mistake("old_text", "must not be empty");
        if (!before.isEmpty() && before.equals(after)) fields.mistake("new_text", "is the same as old_text");
        return new Edit(path(fields), before, after, fields.bool("replace_all").orElse(false));
    }

    private static ExecId exec(Fields fields) {
        var id = fields.text("exec_id").flatMap(ExecId::parse);
        if (fields.has("exec_id") && id.isEmpty()) fields.mistake("exec_id", "must be the id of a command");
        return fields.required("exec_id", id, new ExecId(new UUID(0, 0)));
    }

    private static String path(Fields fields) {
        return fields.required("path", fields.text("path"), "");
    }

    private static Encoding encoding(Fields fields) {
        return fields.word("encoding", Encoding.class).orElse(Encoding.UTF8);
    }

    private static byte[] content(Fields fields) {
        String text = fields.required("content", fields.text("content"), "");
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (encoding(fields) == Encoding.BASE64) {
            Optional<byte[]> decoded = base64(text);
            if (decoded.isEmpty()) fields.mistake("content", "is not base64");
            bytes = decoded.orElse(new byte[0]);
        }
        if (bytes.length > MOST_BYTES)
            throw new Refused(
                    ProblemCode.TOO_LARGE,
                    "content: %d bytes are more than the limit of %d".formatted(bytes.length, MOST_BYTES));
        return bytes;
    }

    private static Optional<byte[]> base64(String text) {
        try {
            return Optional.of(Base64.getDecoder().decode(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
