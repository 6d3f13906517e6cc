package hermit.http;

import hermit.api.Readiness;
import hermit.api.Readiness.Part;
import hermit.problem.GatewayException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Whether the gateway can do its work now: the database, and the backends that are configured. Each is
/// asked side by side and given [#PATIENCE]; one that hangs is not asked again before it has answered.
public final class ReadinessCheck {
    public static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final Logger LOG = LoggerFactory.getLogger(ReadinessCheck.class);

    private final Asked database;
    private final Map<String, Asked> backends = new LinkedHashMap<>();
    private final Map<String, String> notConfigured;
    private final Duration patience;

    /// Asks one part of the gateway how it is.
    @FunctionalInterface
    public interface Probe {
        Outcome check() throws InterruptedException;
    }

    /// `detail` is for admins: a version, or why it is down. Never a secret.
    public record Outcome(boolean up, String detail) {}

    /// `notConfigured`: backends that the operator has given no credential for, and what is missing.
    public ReadinessCheck(
            Probe database, Map<String, Probe> backends, Map<String, String> notConfigured, Duration patience) {
        this.database = new Asked("database", database);
        backends.forEach((name, probe) -> this.backends.put(name, new Asked(name, probe)));
        this.notConfigured = Map.copyOf(notConfigured);
        this.patience = patience;
    }

    /// `unavailable` without a database, or with no backend at all; `degraded` with some.
    public Readiness check() throws InterruptedException {
        database.ask();
        backends.values().forEach(Asked::ask);
        var deadline = new Deadline(patience);
        Outcome store = database.answer(deadline);
        var parts = new LinkedHashMap<String, Part>();
        int up = 0;
        for (var backend : backends.entrySet()) {
            Outcome outcome = backend.getValue().answer(deadline);
            if (outcome.up) up++;
            parts.put(backend.getKey(), part(outcome));
        }
        new TreeMap<>(notConfigured)
                .forEach((name, missing) -> parts.put(name, new Part("not_configured", Optional.of(missing))));
        return new Readiness(status(store.up, up), part(store), parts);
    }

    private String status(boolean hasStore, int up) {
        if (!hasStore || up == 0) return "unavailable";
        return up == backends.size() ? "ready" : "degraded";
    }

    private static Part part(Outcome outcome) {
        return new Part(outcome.up ? "up" : "down", Optional.of(outcome.detail));
    }

    /// All waiting together ends after so long.
    private record Deadline(long nanos) {
        Deadline(Duration patience) {
            this(System.nanoTime() + patience.toNanos());
        }

        long left() {
            return Math.max(0, nanos - System.nanoTime());
        }
    }

    /// A probe, and the question that it has not answered yet.
    private static final class Asked {
        private final String name;
        private final Probe probe;
        private FutureTask<Outcome> question = new FutureTask<>(() -> new Outcome(false, ""));

        Asked(String name, Probe probe) {
            this.name = name;
            this.probe = probe;
            question.run();
        }

        synchronized void ask() {
            if (!question.isDone()) return;
            question = new FutureTask<>(probe::check);
            Thread.ofVirtual().name("probe-" + name).start(question);
        }

        Outcome answer(Deadline deadline) throws InterruptedException {
            FutureTask<Outcome> asked;
            synchronized (this) {
                asked = question;
            }
            try {
                return asked.get(deadline.left(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                return new Outcome(false, "no answer in time");
            } catch (ExecutionException e) {
                if (e.getCause() instanceof GatewayException known) return new Outcome(false, known.detail());
                LOG.warn("Asking {} how it is failed", name, e.getCause());
                return new Outcome(false, "the check failed; the log says why");
            }
        }
    }
}
