package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.JsonTree;
import hermit.api.VisibleText;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Values as [VisibleText]. Nothing is left out, however long it is: somebody decides by it.
final class ShownText {
    private static final Pattern PLAIN_WORD = Pattern.compile("[\\w@%+=:,./-]+", Pattern.UNICODE_CHARACTER_CLASS);

    private ShownText() {}

    static String of(String text) {
        return VisibleText.of(text);
    }

    /// A value of any kind: a text as it is, the rest as JSON.
    static String of(JsonNode value) {
        return of(value.isTextual() ? value.asText() : JsonTree.write(value));
    }

    /// The words of an argument list with their borders to be seen, as a shell would take them.
    static String words(JsonNode argv) {
        List<String> words = new ArrayList<>();
        for (JsonNode word : argv) words.add(quoted(word.asText()));
        return String.join(" ", words);
    }

    private static String quoted(String word) {
        return PLAIN_WORD.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
