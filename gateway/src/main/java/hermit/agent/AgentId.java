package hermit.agent;

import hermit.problem.GatewayException.NotFound;
import java.util.regex.Pattern;

/// The name by which an agent is addressed: a slug, unique among live agents.
public record AgentId(String value) implements Comparable<AgentId> {
    public static final Pattern PATTERN = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");
    public static final String SHAPE = "up to 63 lower-case letters, digits and hyphens, not starting with a hyphen";

    public AgentId {
        if (!PATTERN.matcher(value).matches()) throw new IllegalArgumentException("not an agent id");
    }

    /// From a path: what cannot be an id cannot exist either.
    public static AgentId inPath(String text) {
        if (!PATTERN.matcher(text).matches()) throw new NotFound("No such agent");
        return new AgentId(text);
    }

    @Override
    public int compareTo(AgentId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
