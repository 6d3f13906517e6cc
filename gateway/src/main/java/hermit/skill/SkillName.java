package hermit.skill;

import hermit.problem.GatewayException.NotFound;
import java.util.regex.Pattern;

/// How a skill is called, and the name of its folder: the shape of the public Agent Skills format.
public record SkillName(String value) implements Comparable<SkillName> {
    static final String SHAPE = "1 to 64 lower-case letters, digits and single hyphens between them";
    private static final Pattern PATTERN = Pattern.compile("(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*");

    public SkillName {
        if (!isName(value)) throw new IllegalArgumentException("not the name of a skill: " + value);
    }

    static boolean isName(String text) {
        return PATTERN.matcher(text).matches();
    }

    /// From a path; what is no name is no skill either.
    public static SkillName inPath(String text) {
        if (!isName(text)) throw new NotFound("There is no skill '%s'".formatted(text));
        return new SkillName(text);
    }

    @Override
    public int compareTo(SkillName other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
