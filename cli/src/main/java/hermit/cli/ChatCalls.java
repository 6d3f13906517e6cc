package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The calls of tools in a conversation, each under a short number: folded to one line, and unfolded when
/// somebody asks. Any thread may use it.
final class ChatCalls {
    /// Of the log's 16,384 characters each for stdout and stderr; the oldest are forgotten.
    private static final int MOST_KEPT = 200;

    /// A look at what was called; `/show` has all of it.
    private static final int CLIPPED = 100;

    private static final class Call {
        private final int number;
        private final String tool;
        private final String what;
        private String state = "under way";
        private String output = "";

        Call(int number, JsonNode data) {
            this.number = number;
            this.tool = Output.printable(data.path("tool").asText());
            this.what = data.has("call") ? ApprovalText.what(data.path("call")) : "";
        }

        String head() {
            return "[%d] %s%s".formatted(number, tool, what.isEmpty() ? "" : " " + Clipped.of(what, CLIPPED));
        }
    }

    private final Map<String, Call> calls = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Call> eldest) {
            return size() > MOST_KEPT;
        }
    };
    private int count;

    /// The line of a call that begins.
    synchronized String begin(JsonNode data) {
        return call(data).head();
    }

    /// Keeps what a command printed.
    synchronized void output(JsonNode data) {
        var output = new StringBuilder();
        if (data.path("encoding").asText().equals("base64")) output.append("(as base64)\n");
        output.append(data.path("stdout").asText());
        if (!data.path("stderr").asText().isEmpty()) {
            if (!output.isEmpty() && output.charAt(output.length() - 1) != '\n') output.append('\n');
            output.append("stderr:\n").append(data.path("stderr").asText());
        }
        call(data).output = output.toString();
    }

    /// The one line of a call that has ended: whether it went well, its number, what it was, and how it ended.
    synchronized String end(JsonNode data) {
        Call call = call(data);
        JsonNode result = data.path("result");
        call.state = state(data, result);
        if (call.output.isEmpty() && result.path("content").isTextual())
            call.output = result.path("content").asText();
        if (call.output.isEmpty() && result.path("items").isArray()) call.output = names(result.path("items"));
        return "%s %s — %s%s"
                .formatted(wentWell(data, result) ? "✓" : "✗", call.head(), call.state, lines(call.output, result));
    }

    /// How many there are, or at least are: the log holds the beginning of long output, and the gateway itself no more
    /// than it was told to.
    private static String lines(String output, JsonNode result) {
        long lines = output.lines().count();
        if (lines == 0) return "";
        boolean more = result.path("shortened").asBoolean()
                || result.path("truncated").asBoolean()
                || result.path("stdout_truncated").asBoolean()
                || result.path("stderr_truncated").asBoolean();
        return ", %s%d %s".formatted(more ? "more than " : "", lines, lines == 1 ? "line" : "lines");
    }

    /// All that is known of a call: of the one with this number, or of the last one.
    synchronized Optional<String> unfolded(Optional<Integer> number) {
        Call found = null;
        for (Call each : calls.values()) if (number.isEmpty() || number.get() == each.number) found = each;
        return Optional.ofNullable(found)
                .map(call -> "[%d] %s %s\n%s\n%s"
                        .formatted(call.number, call.tool, call.what, call.state, Output.printable(call.output))
                        .stripTrailing());
    }

    private Call call(JsonNode data) {
        return calls.computeIfAbsent(data.path("call_id").asText(), _ -> new Call(++count, data));
    }

    private static boolean wentWell(JsonNode data, JsonNode result) {
        return data.path("state").asText().equals("done")
                && result.path("exit_code").asInt(0) == 0
                && !result.has("error");
    }

    private static String state(JsonNode data, JsonNode result) {
        var state = data.path("state").asText();
        if (data.has("error"))
            return state + ": " + ShownText.of(data.path("error").path("detail"));
        if (data.hasNonNull("reason")) return state + ": " + ShownText.of(data.path("reason"));
        if (result.hasNonNull("exit_code")) {
            var reason = result.path("end_reason").asText("exited");
            return "exit " + result.path("exit_code").asInt() + (reason.equals("exited") ? "" : ", " + reason);
        }
        return ShownText.of(state);
    }

    private static String names(JsonNode items) {
        List<String> names = new ArrayList<>();
        for (JsonNode item : items) names.add(item.path("name").asText());
        return String.join("\n", names);
    }
}
