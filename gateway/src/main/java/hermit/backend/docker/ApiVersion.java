package hermit.backend.docker;

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Pattern;

/// A version of the engine's API, e.g. 1.41.
record ApiVersion(int major, int minor) implements Comparable<ApiVersion> {
    /// What our requests need at least: private cgroup namespaces came with it (Docker 20.10).
    static final ApiVersion OLDEST = new ApiVersion(1, 41);
    /// The newest that our requests were written for. The newest engines (29) still speak it: it is their minimum.
    static final ApiVersion NEWEST = new ApiVersion(1, 44);

    private static final Pattern SHAPE = Pattern.compile("([0-9]{1,4})\\.([0-9]{1,4})");

    static Optional<ApiVersion> parse(String text) {
        var matcher = SHAPE.matcher(text);
        return matcher.matches()
                ? Optional.of(new ApiVersion(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))))
                : Optional.empty();
    }

    /// The version to speak with an engine that knows these; empty if there is none that both know.
    static Optional<ApiVersion> common(ApiVersion lowest, ApiVersion highest) {
        var common = highest.compareTo(NEWEST) < 0 ? highest : NEWEST;
        return common.compareTo(OLDEST) < 0 || common.compareTo(lowest) < 0 ? Optional.empty() : Optional.of(common);
    }

    @Override
    public int compareTo(ApiVersion other) {
        return Comparator.comparingInt(ApiVersion::major)
                .thenComparingInt(ApiVersion::minor)
                .compare(this, other);
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
