package hermit.exec;

import java.util.Locale;
import java.util.Optional;

/// Where a sandbox runs. There is no `host`: commands never run on the gateway's own machine unsandboxed.
public enum BackendType {
    DOCKER,
    E2B,
    DAYTONA,
    TENKI;

    /// As written in JSON, SQL and config, e.g. `docker`.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<BackendType> of(String name) {
        for (BackendType type : values()) if (type.toString().equals(name)) return Optional.of(type);
        return Optional.empty();
    }
}
