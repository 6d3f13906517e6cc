package hermit.agent;

import hermit.problem.Fields;
import java.util.Optional;

/// What an agent's owner tells the model that answers for it.
///
/// - `identity`: who it is, and what it is there for.
/// - `rules`: what it must and must not do.
public record Instructions(Optional<String> identity, Optional<String> rules) {
    public static final Instructions NONE = new Instructions(Optional.empty(), Optional.empty());

    /// The characters of each. Some 5,000 tokens, which every step of every turn pays for.
    public static final int LONGEST = 20_000;

    /// Reads the `instructions` of a config; mistakes are left in `fields`.
    static Instructions read(Fields fields) {
        var instructions = new Instructions(text(fields, "identity"), text(fields, "rules"));
        fields.close();
        return instructions;
    }

    private static Optional<String> text(Fields fields, String key) {
        Optional<String> text = fields.text(key);
        text.filter(each -> each.isBlank() || each.length() > LONGEST)
                .ifPresent(_ -> fields.mistake(key, "must have 1 to %d characters".formatted(LONGEST)));
        return text;
    }
}
