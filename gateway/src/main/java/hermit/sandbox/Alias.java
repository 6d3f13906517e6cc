package hermit.sandbox;

import hermit.problem.GatewayException.NotFound;
import java.util.regex.Pattern;

/// The name of a sandbox within its agent: a slug, unique among the agent's live rows.
public record Alias(String value) {
    public static final Pattern PATTERN = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");
    public static final String SHAPE = "up to 63 lower-case letters, digits and hyphens, not starting with a hyphen";
    public static final Alias DEFAULT = new Alias("default");

    public Alias {
        if (!PATTERN.matcher(value).matches()) throw new IllegalArgumentException("not an alias");
    }

    /// From a path: what cannot be an alias cannot exist either.
    public static Alias inPath(String text) {
        if (!PATTERN.matcher(text).matches()) throw new NotFound("No such sandbox");
        return new Alias(text);
    }

    @Override
    public String toString() {
        return value;
    }
}
