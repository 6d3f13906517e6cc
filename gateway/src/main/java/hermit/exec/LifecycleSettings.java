package hermit.exec;

import hermit.problem.Fields;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// A `lifecycle` block as somebody wrote it: each field may be silent. An agent has one, and so may each of its
/// sandboxes.
public record LifecycleSettings(Optional<Start> start, Optional<Stop> stop, Optional<Integer> idleTimeoutMinutes) {
    public static final LifecycleSettings SILENT =
            new LifecycleSettings(Optional.empty(), Optional.empty(), Optional.empty());

    /// One week. Longer than that is what nobody means by idle.
    private static final int MAX_IDLE_MINUTES = 7 * 24 * 60;

    /// When the machine is brought up: at the first call that needs it, or as soon as a session opens.
    public enum Start {
        ONDEMAND,
        SESSION;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// When it is shut down: after a time without use, or when the last session ends.
    public enum Stop {
        IDLE,
        SESSION;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// Reads the block `lifecycle` of `parent`; silent where it is absent.
    public static LifecycleSettings read(Fields parent) {
        return parent.nested("lifecycle")
                .map(fields -> {
                    var settings = new LifecycleSettings(
                            fields.word("start", Start.class),
                            fields.word("stop", Stop.class),
                            fields.integer("idle_timeout_minutes", 1, MAX_IDLE_MINUTES)
                                    .map(Long::intValue));
                    fields.close();
                    return settings;
                })
                .orElse(SILENT);
    }

    public Map<String, Object> toMap() {
        var map = new LinkedHashMap<String, Object>();
        start.ifPresent(each -> map.put("start", each.toString()));
        stop.ifPresent(each -> map.put("stop", each.toString()));
        idleTimeoutMinutes.ifPresent(each -> map.put("idle_timeout_minutes", each));
        return map;
    }
}
