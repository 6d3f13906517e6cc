package hermit.http;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Set;

/// Counts requests and how long they took, by method, route and status.
final class HttpMetrics {
    private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");
    private static final Duration[] BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(20),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofSeconds(2),
        Duration.ofSeconds(10),
        Duration.ofMinutes(1)
    };

    private final MeterRegistry registry;

    HttpMetrics(MeterRegistry registry, RunningRequests running) {
        this.registry = registry;
        Gauge.builder("hermit.http.streams.open", running, RunningRequests::openStreams)
                .description("Event streams that are open")
                .register(registry);
    }

    /// The caller chooses the method's name and the path: neither becomes a label unless it is one of ours.
    void answered(String method, Trace trace, int status, long nanos) {
        String known = METHODS.contains(method) ? method : "other";
        if (trace.isStream()) {
            registry.counter("hermit.http.streams", "route", trace.route()).increment();
            return;
        }
        Timer.builder("hermit.http.requests")
                .description("Requests that were answered")
                .tags("method", known, "route", trace.route(), "status", Integer.toString(status))
                .serviceLevelObjectives(BUCKETS)
                .register(registry)
                .record(Duration.ofNanos(nanos));
    }
}
