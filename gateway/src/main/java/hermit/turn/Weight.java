package hermit.turn;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How many tokens something takes up in a prompt, as far as one can tell without the model's own vocabulary.
final class Weight {
    /// Of a message or a value, beside its text.
    private static final int FRAME = 6;
    /// Of English and of code it is nearer to four: rather too heavy than too light.
    private static final int CHARACTERS = 3;

    private Weight() {}

    static long of(Prompt prompt) {
        long sum = of(prompt.system());
        for (Message each : prompt.messages()) sum += of(each);
        for (var each : prompt.tools()) sum += of(each.description()) + value(each.input());
        return sum;
    }

    static long of(List<Message> messages) {
        return messages.stream().mapToLong(Weight::of).sum();
    }

    static long of(Message message) {
        return FRAME
                + switch (message) {
                    case Message.User(String text) -> of(text);
                    case Message.Assistant(String text, var calls) ->
                        of(text)
                                + calls.stream()
                                        .mapToLong(call -> FRAME + of(call.tool()) + value(call.arguments()))
                                        .sum();
                    case Message.Results(var results) ->
                        results.stream()
                                .mapToLong(result -> FRAME + value(result.document()))
                                .sum();
                };
    }

    /// A character outside of ASCII may be a token of its own.
    static long of(String text) {
        long narrow = text.chars().filter(each -> each < 0x80).count();
        return narrow / CHARACTERS + (text.length() - narrow) + 1;
    }

    private static long value(@Nullable Object value) {
        return switch (value) {
            case null -> 1;
            case String text -> of(text);
            case Map<?, ?> map -> {
                long sum = FRAME;
                for (var each : map.entrySet()) sum += of(String.valueOf(each.getKey())) + value(each.getValue());
                yield sum;
            }
            case List<?> list -> {
                long sum = FRAME;
                for (Object each : list) sum += value(each);
                yield sum;
            }
            default -> of(String.valueOf(value));
        };
    }
}
