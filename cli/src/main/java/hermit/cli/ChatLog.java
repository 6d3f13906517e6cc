package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// Shows a session's events as they come, each once: what people and the model say, calls folded to a line,
/// what waits for a decision, and how turns end. Of what had happened before, the last lines.
///
/// Everything in an event was written by somebody else: nothing of it reaches the terminal but as text.
final class ChatLog {
    /// Of what was said and done before the conversation was taken up again.
    private static final int MOST_PAST = 20;

    private final ChatScreen screen;
    private final String me;
    private final long past;
    private final Consumer<ChatHappening> happened;
    private final ChatCalls calls = new ChatCalls();
    private final Deque<String> before = new ArrayDeque<>();
    private final List<String> expected = new ArrayList<>();
    private final Map<String, JsonNode> waiting = new LinkedHashMap<>();
    private long seen;
    private String speaking = "";
    private int attempt;
    private final StringBuilder said = new StringBuilder();

    /// `me` is how events name whoever sits here; `past` is the number of the last event that had happened
    /// before.
    ChatLog(ChatScreen screen, String me, long past, Consumer<ChatHappening> happened) {
        this.screen = screen;
        this.me = me;
        this.past = past;
        this.happened = happened;
    }

    ChatCalls calls() {
        return calls;
    }

    /// What we are about to say ourselves need not be shown again.
    synchronized void expect(String text) {
        expected.add(text);
    }

    /// It was not said after all.
    synchronized void forget(String text) {
        expected.remove(text);
    }

    /// What the session says about a call that waits; empty when nobody has to decide about it any more.
    synchronized Optional<JsonNode> waiting(String approvalId) {
        return Optional.ofNullable(waiting.get(approvalId));
    }

    /// The approvals that wait, in the order in which they were asked for.
    synchronized List<String> waiting() {
        return List.copyOf(waiting.keySet());
    }

    synchronized void take(JsonNode event) {
        long id = event.path("id").asLong();
        // A connection that is made again may tell the last one once more.
        if (id <= seen) return;
        seen = id;
        JsonNode data = event.path("data");
        switch (event.path("type").asText()) {
            case "user_message" -> message(data);
            case "text_delta" -> delta(data);
            case "text_final" -> text(data);
            case "tool_call" -> begins(calls.begin(data));
            case "tool_output" -> calls.output(data);
            case "tool_result" -> line(screen.dim(calls.end(data)));
            case "approval_required" -> asked(data);
            case "approval_decided" -> decided(data);
            case "turn_end" -> turnEnd(data);
            case "error" -> line("! " + Output.printable(data.path("detail").asText()));
            case "notice" -> notice(data);
            default -> {
                // A newer gateway may say more than we know.
            }
        }
        if (id == past) showPast();
    }

    private boolean isPast() {
        return seen <= past;
    }

    private void message(JsonNode data) {
        var author = data.path("author").asText();
        var text = data.path("text").asText();
        if (author.equals(me) && expected.remove(text)) return;
        line(screen.bold((author.equals(me) ? "" : Output.printable(author) + " ") + "› " + Output.printable(text)));
    }

    private void delta(JsonNode data) {
        if (isPast()) return;
        var step = step(data);
        int now = data.path("attempt").asInt();
        if (!step.equals(speaking)) said.setLength(0);
        else if (now != attempt && !said.isEmpty()) {
            screen.line(screen.dim("(once more)"));
            said.setLength(0);
        }
        speaking = step;
        attempt = now;
        var text = data.path("text").asText();
        said.append(text);
        screen.piece(Output.printable(text));
    }

    /// All of what was said. What has come in pieces already is not shown again.
    private void text(JsonNode data) {
        var text = data.path("text").asText();
        var shown = step(data).equals(speaking) ? said.toString() : "";
        if (isPast() || shown.isEmpty() || !text.startsWith(shown)) line(Output.printable(text));
        else screen.piece(Output.printable(text.substring(shown.length())));
        if (!isPast()) screen.endLine();
        speaking = "";
        said.setLength(0);
    }

    private static String step(JsonNode data) {
        return data.path("turn_id").asText() + "/" + data.path("step").asText();
    }

    private void begins(String call) {
        if (!isPast()) screen.status("… " + call);
    }

    private void asked(JsonNode data) {
        var id = data.path("approval_id").asText();
        waiting.put(id, data);
        line("? %s — waits for a decision".formatted(calls.begin(data)));
        if (!isPast()) happened.accept(new ChatHappening.Asked(id));
    }

    private void decided(JsonNode data) {
        waiting.remove(data.path("approval_id").asText());
        line("%s %s by %s%s"
                .formatted(
                        calls.begin(data),
                        Output.printable(data.path("state").asText()),
                        Output.printable(data.path("author").asText()),
                        data.hasNonNull("reason") ? ": " + ShownText.of(data.path("reason")) : ""));
    }

    private void turnEnd(JsonNode data) {
        var reason = data.path("reason").asText();
        if (!reason.equals("done")) {
            var detail = data.hasNonNull("detail")
                    ? ": " + Output.printable(data.path("detail").asText())
                    : "";
            line("! The turn has ended: " + Output.printable(reason) + detail);
        }
        if (!isPast()) {
            screen.endLine();
            happened.accept(new ChatHappening.TurnEnded(data.path("turn_id").asText()));
        }
    }

    private void notice(JsonNode data) {
        var author = data.hasNonNull("author")
                ? " by " + Output.printable(data.path("author").asText())
                : "";
        switch (data.path("notice").asText()) {
            case "model_retry" ->
                line(screen.dim("… the model is asked again in %d s: %s"
                        .formatted(
                                Math.ceilDiv(data.path("wait_ms").asLong(), 1_000),
                                Output.printable(data.path("detail").asText()))));
            case "compacted" -> line(screen.dim("… earlier messages and output were cut to make room"));
            case "output_cut" -> line("! The answer is cut off: it is as long as the operator lets it be");
            case "cancelled" -> line(screen.dim("… cancelled" + author));
            case "ended" -> line("! The session has ended" + author);
            default -> {
                // Of interest to programs.
            }
        }
    }

    private void line(String text) {
        if (!isPast()) {
            screen.line(text);
            return;
        }
        before.add(text);
        if (before.size() > MOST_PAST) before.remove();
    }

    private void showPast() {
        for (String each : before) screen.line(each);
        before.clear();
        if (!waiting.isEmpty()) screen.line("? Calls wait for a decision: /decide");
    }
}
