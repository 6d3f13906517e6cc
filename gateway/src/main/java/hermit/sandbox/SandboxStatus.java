package hermit.sandbox;

import java.time.Instant;
import java.util.Optional;

/// Where the row is in its life. Whether the machine behind it runs or sleeps is not kept here: only the backend
/// knows.
public sealed interface SandboxStatus {
    /// No ensure has succeeded yet.
    record Pending() implements SandboxStatus {}

    /// `lastSeenAt`: the last successful ensure, exact to 5 s.
    record Provisioned(String externalId, Instant lastSeenAt) implements SandboxStatus {}

    /// A machine may still exist, under `leftBehind`.
    record Deleted(Instant at, Optional<String> leftBehind) implements SandboxStatus {}

    /// As written in JSON and SQL.
    default String word() {
        return switch (this) {
            case Pending _ -> "pending";
            case Provisioned _ -> "provisioned";
            case Deleted _ -> "deleted";
        };
    }
}
