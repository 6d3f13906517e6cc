package hermit.sandbox;

import hermit.exec.LifecycleSettings;
import hermit.exec.LifecycleSettings.Start;
import hermit.exec.LifecycleSettings.Stop;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/// When a machine is brought up and shut down: the one value in force, and where each of its fields
/// comes from. The sandbox's own block goes before the agent's, field by field, and that before the
/// default.
public record EffectiveLifecycle(Setting<Start> start, Setting<Stop> stop, Setting<Integer> idleTimeoutMinutes) {
    private static final int DEFAULT_IDLE_MINUTES = 5;

    public enum Origin {
        SANDBOX,
        AGENT,
        DEFAULT;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public record Setting<T>(T value, Origin origin) {}

    public static EffectiveLifecycle of(LifecycleSettings agent, LifecycleSettings sandbox) {
        return new EffectiveLifecycle(
                first(sandbox.start(), agent.start(), Start.ONDEMAND),
                first(sandbox.stop(), agent.stop(), Stop.IDLE),
                first(sandbox.idleTimeoutMinutes(), agent.idleTimeoutMinutes(), DEFAULT_IDLE_MINUTES));
    }

    public Duration idleTimeout() {
        return Duration.ofMinutes(idleTimeoutMinutes.value());
    }

    private static <T> Setting<T> first(Optional<T> sandbox, Optional<T> agent, T otherwise) {
        if (sandbox.isPresent()) return new Setting<>(sandbox.get(), Origin.SANDBOX);
        if (agent.isPresent()) return new Setting<>(agent.get(), Origin.AGENT);
        return new Setting<>(otherwise, Origin.DEFAULT);
    }
}
