package hermit.mcp.http;

import hermit.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Results as a model reads them: what a command printed, or what is in a file, as it is and not escaped as JSON.
final class ResultText {
    private ResultText() {}

    /// In pieces, of which each stands for itself.
    static List<String> of(Map<String, Object> result) {
        if ("base64".equals(result.get("encoding"))) return List.of(Json.write(result));
        if (result.get("stdout") instanceof String stdout && result.get("stderr") instanceof String stderr)
            return List.of(command(result, stdout, stderr));
        if (result.get("content") instanceof String content) return file(result, content);
        return List.of(Json.write(result));
    }

    private static String command(Map<String, Object> result, String stdout, String stderr) {
        var text = new StringBuilder(stdout);
        if (!stderr.isEmpty()) line(text, "[stderr]").append(stderr);
        var end = new ArrayList<String>();
        for (String key : List.of("state", "exit_code", "end_reason", "exec_id"))
            if (result.containsKey(key)) end.add(key + " " + result.get(key));
        line(text, "[%s]".formatted(String.join(", ", end)));
        for (String stream : List.of("stdout", "stderr"))
            if (Boolean.TRUE.equals(result.get(stream + "_truncated"))) line(text, goesOn(result, stream));
        return text.toString();
    }

    /// Of a command that has ended, no more is kept than was answered.
    private static String goesOn(Map<String, Object> result, String stream) {
        return "ended".equals(result.get("state"))
                ? "[%s had %s bytes more, which are not kept: max_output_bytes keeps more]"
                        .formatted(stream, result.get(stream + "_dropped_bytes"))
                : "[%1$s goes on: exec_status with %1$s_offset %2$s]"
                        .formatted(stream, result.get(stream + "_next_offset"));
    }

    private static List<String> file(Map<String, Object> result, String content) {
        // Of a call that was put before a person, the beginning is kept.
        if (Boolean.TRUE.equals(result.get("shortened")))
            return List.of(
                    content,
                    "[The file has %s bytes and goes on: read_file with offset %d reads on]"
                            .formatted(result.get("size"), end(result, content)));
        if (!Boolean.TRUE.equals(result.get("truncated"))) return List.of(content);
        return List.of(content, "[The file has %s bytes and goes on]".formatted(result.get("size")));
    }

    private static long end(Map<String, Object> result, String content) {
        long from = result.get("offset") instanceof Number offset ? offset.longValue() : 0;
        return from + content.getBytes(StandardCharsets.UTF_8).length;
    }

    private static StringBuilder line(StringBuilder text, String line) {
        if (!text.isEmpty() && text.charAt(text.length() - 1) != '\n') text.append('\n');
        return text.append(line).append('\n');
    }
}
