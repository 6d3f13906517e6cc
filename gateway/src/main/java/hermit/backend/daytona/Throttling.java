package hermit.backend.daytona;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// How long to wait when the provider says that it was asked too often.
final class Throttling {
    /// Of one wait; the provider counts by the minute.
    static final Duration LONGEST = Duration.ofSeconds(60);
    /// Of all waits for one request.
    static final Duration PATIENCE = Duration.ofMinutes(3);
    /// Where the provider does not say: 1, 2, 4, 8 s.
    private static final int STEPS = 3;

    private Throttling() {}

    /// Each limit has a header of its own, `Retry-After-sandbox-create`, or the plain one. `waits`: how
    /// many came before.
    static Duration after(HttpHeaders headers, int waits) {
        var asked = headers.map().entrySet().stream()
                .filter(each -> each.getKey().toLowerCase(Locale.ROOT).startsWith("retry-after"))
                .map(Map.Entry::getValue)
                .flatMap(List::stream)
                .flatMap(text -> seconds(text).stream())
                .max(Duration::compareTo)
                .orElseGet(() -> Duration.ofSeconds(1L << Math.min(waits, STEPS)));
        return asked.compareTo(LONGEST) > 0 ? LONGEST : asked;
    }

    private static Optional<Duration> seconds(String text) {
        try {
            return Optional.of(Duration.ofSeconds(Math.max(1, Long.parseLong(text.strip()))));
        } catch (NumberFormatException _) {
            return Optional.empty(); // a date: its clock is not ours
        }
    }
}
