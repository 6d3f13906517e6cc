package hermit.turn;

import hermit.problem.Documents;
import hermit.tool.LongText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Makes a conversation fit into a model's context, from values only. What a command printed long ago is
/// the first to go, down to its head and tail; its id stays, by which it can be read again. Then whole
/// exchanges go, oldest first; then what was done first for the message that is being answered. The latest
/// results go last.
final class Compaction {
    private static final LongText OLD = new LongText(400, 200);
    private static final LongText LATEST = new LongText(2_000, 1_000);
    private static final int OLD_ITEMS = 40;
    private static final String HINT = "to save room: exec_status with the exec_id, or read_file, has them";
    /// What the model has just asked for and what came of it.
    private static final int NEWEST = 2;

    private Compaction() {}

    /// - `shortened`: messages that have become shorter.
    /// - `leftOut`: messages that are there no more.
    record Fitted(List<Message> messages, int shortened, int leftOut) {
        Fitted {
            messages = List.copyOf(messages);
        }

        boolean changed() {
            return shortened > 0 || leftOut > 0;
        }
    }

    /// Leaves it as it is if it fits into `budget` tokens. Otherwise more goes than must, so that it does
    /// not have to be done again at the next step: what has been sent before and stays the same costs a
    /// provider less.
    static Fitted fit(List<Message> conversation, long budget) {
        if (Weight.of(conversation) <= budget) return new Fitted(conversation, 0, 0);
        long target = budget * 3 / 4;
        var messages = new ArrayList<>(conversation);
        int shortened = shorten(messages, messages.size() - NEWEST, target);
        int leftOut = dropExchanges(messages, target) + dropSteps(messages, target);
        if (Weight.of(messages) > budget) shortened += shortenAll(messages);
        return new Fitted(messages, shortened, leftOut);
    }

    private static int shorten(List<Message> messages, int end, long target) {
        int shortened = 0;
        long weight = Weight.of(messages);
        for (int i = 0; i < end && weight > target; i++) {
            Message old = messages.get(i);
            Message brief = brief(old, OLD);
            if (brief.equals(old)) continue;
            messages.set(i, brief);
            weight += Weight.of(brief) - Weight.of(old);
            shortened++;
        }
        return shortened;
    }

    private static int shortenAll(List<Message> messages) {
        int shortened = 0;
        for (int i = 0; i < messages.size(); i++) {
            Message brief = brief(messages.get(i), LATEST);
            if (!brief.equals(messages.get(i))) shortened++;
            messages.set(i, brief);
        }
        return shortened;
    }

    /// From the front up to the next message of a person, but never that which is being answered.
    private static int dropExchanges(List<Message> messages, long target) {
        int dropped = 0;
        while (Weight.of(messages) > target) {
            int next = 1;
            while (next < messages.size() && !(messages.get(next) instanceof Message.User)) next++;
            if (next >= messages.size()) break;
            messages.subList(0, next).clear();
            dropped += next;
        }
        return dropped;
    }

    /// What was called, with what came of it, right behind the message that is being answered.
    private static int dropSteps(List<Message> messages, long target) {
        int dropped = 0;
        while (Weight.of(messages) > target && messages.size() > 1 + 2 * NEWEST) {
            int end = messages.get(2) instanceof Message.Results ? 3 : 2;
            messages.subList(1, end).clear();
            dropped += end - 1;
        }
        return dropped;
    }

    private static Message brief(Message message, LongText most) {
        return switch (message) {
            case Message.User _ -> message;
            case Message.Assistant(String text, var calls) ->
                new Message.Assistant(
                        text,
                        calls.stream()
                                .map(call -> new WantedCall(
                                        call.id(),
                                        call.exec(),
                                        call.tool(),
                                        brief(call.arguments(), most),
                                        call.unreadable()))
                                .toList());
            case Message.Results(var results) ->
                new Message.Results(results.stream()
                        .map(each ->
                                new CallResult(each.call(), each.tool(), brief(each.document(), most), each.failed()))
                        .toList());
        };
    }

    private static Map<String, Object> brief(Map<String, Object> document, LongText most) {
        var brief = new LinkedHashMap<String, @Nullable Object>();
        document.forEach((key, value) -> brief.put(key, brief(value, most)));
        return Documents.copyOf(brief);
    }

    private static @Nullable Object brief(@Nullable Object value, LongText most) {
        return switch (value) {
            case String text -> most.cut(text, HINT);
            case List<?> list when list.size() > OLD_ITEMS -> list.subList(0, OLD_ITEMS);
            case null, default -> value;
        };
    }
}
