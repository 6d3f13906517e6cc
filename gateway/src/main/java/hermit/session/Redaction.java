package hermit.session;

import hermit.problem.Documents;
import hermit.session.SessionEvent.Draft;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Hides the operator's own secrets in whatever is said in sessions or to a model. Whoever prints such a
/// secret in a sandbox has it already; this is so that it goes no further.
public final class Redaction {
    public static final Redaction NONE = new Redaction(List.of());

    /// What stands in place of a secret.
    public static final String HIDDEN = "(hidden)";

    /// A shorter one is as likely to be a word.
    private static final int SHORTEST = 8;

    private final List<String> secrets;

    public Redaction(List<String> secrets) {
        // A secret that begins with another one is looked for first.
        this.secrets = secrets.stream()
                .filter(each -> each.length() >= SHORTEST)
                .distinct()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
    }

    public String text(String text) {
        String clean = text;
        for (String each : secrets) if (clean.contains(each)) clean = clean.replace(each, HIDDEN);
        return clean;
    }

    /// Of bytes that may be no text.
    public byte[] bytes(byte[] bytes) {
        // Each byte as one character, and back: so that what is no text stays as it is.
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        String clean = text;
        for (String each : secrets)
            clean = clean.replace(
                    new String(each.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1), HIDDEN);
        return clean.equals(text) ? bytes : clean.getBytes(StandardCharsets.ISO_8859_1);
    }

    /// How much of the end of a text may be the beginning of a secret that goes on in what comes after it.
    public int open(String text) {
        int longest = 0;
        for (String each : secrets)
            for (int length = Math.min(each.length() - 1, text.length()); length > longest; length--)
                if (text.regionMatches(text.length() - length, each, 0, length)) longest = length;
        return longest;
    }

    public Map<String, Object> document(Map<String, Object> document) {
        if (secrets.isEmpty()) return document;
        var clean = new LinkedHashMap<String, @Nullable Object>();
        document.forEach((key, value) -> clean.put(text(key), value(value)));
        return Documents.copyOf(clean);
    }

    public List<Draft> drafts(List<Draft> drafts) {
        if (secrets.isEmpty()) return drafts;
        return drafts.stream()
                .map(each -> new Draft(each.type(), document(each.data())))
                .toList();
    }

    private @Nullable Object value(@Nullable Object value) {
        return switch (value) {
            case String text -> text(text);
            case Map<?, ?> map -> {
                var clean = new LinkedHashMap<String, @Nullable Object>();
                map.forEach((key, each) -> clean.put(text(String.valueOf(key)), value(each)));
                yield clean;
            }
            case List<?> list -> {
                var clean = new ArrayList<@Nullable Object>();
                for (Object each : list) clean.add(value(each));
                yield clean;
            }
            case null, default -> value;
        };
    }
}
