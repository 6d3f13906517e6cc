package hermit.http;

import hermit.access.Caller;
import hermit.api.Health;
import hermit.api.Readiness;
import hermit.api.Readiness.Part;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/// How the gateway itself is, in figures and in words, and what it offers.
public final class StatusRoutes implements Routes {
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
    private static final String OPENAPI = "/openapi.json";

    private final ReadinessCheck readiness;
    private final PrometheusMeterRegistry meters;
    private final AtomicBoolean jvmIsMeasured = new AtomicBoolean();

    public StatusRoutes(ReadinessCheck readiness, PrometheusMeterRegistry meters) {
        this.readiness = readiness;
        this.meters = meters;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get("/health", request -> Reply.ok(new Health("ok"))),
                Route.get("/ready", this::ready),
                Route.get("/metrics", this::metrics),
                Route.get(OPENAPI, request -> new Reply.Text("application/json", openApi())));
    }

    private Reply ready(Request request) throws InterruptedException {
        Readiness found = readiness.check();
        Readiness told = request.caller() instanceof Caller.Admin ? found : withoutDetails(found);
        return new Reply.Json(told.status().equals("unavailable") ? 503 : 200, told, Map.of());
    }

    private static Readiness withoutDetails(Readiness found) {
        var backends = new LinkedHashMap<String, Part>();
        found.backends().forEach((name, part) -> backends.put(name, withoutDetail(part)));
        return new Readiness(found.status(), withoutDetail(found.database()), backends);
    }

    private static Part withoutDetail(Part part) {
        return new Part(part.state(), Optional.empty());
    }

    private Reply metrics(Request request) {
        // At the first look: a gateway that nobody measures starts without it.
        if (jvmIsMeasured.compareAndSet(false, true)) {
            new JvmMemoryMetrics().bindTo(meters);
            new JvmThreadMetrics().bindTo(meters);
            new ClassLoaderMetrics().bindTo(meters);
            new ProcessorMetrics().bindTo(meters);
            new UptimeMetrics().bindTo(meters);
        }
        return new Reply.Text(PROMETHEUS, meters.scrape());
    }

    private static String openApi() {
        try (InputStream document = StatusRoutes.class.getResourceAsStream(OPENAPI)) {
            if (document == null) throw new IllegalStateException("the API's description is not in the jar");
            return new String(document.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
