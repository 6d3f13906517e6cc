package hermit.agent.http;

import hermit.problem.GatewayException.Invalid;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/// A version as an `ETag`, and back from `If-Match`.
final class VersionTag {
    private static final Pattern SHAPE = Pattern.compile("\"([0-9]{1,18})\"");

    private VersionTag() {}

    static String of(long version) {
        return "\"" + version + "\"";
    }

    /// The version that a change is made for; empty for `*`, which is whatever is there. Throws [Invalid] for what no
    /// `ETag` of ours was.
    static OptionalLong parse(String ifMatch) {
        if (ifMatch.strip().equals("*")) return OptionalLong.empty();
        var matcher = SHAPE.matcher(ifMatch.strip());
        if (!matcher.matches()) throw new Invalid("If-Match", "must be the ETag of the document as it was read, or *");
        return OptionalLong.of(Long.parseLong(matcher.group(1)));
    }
}
