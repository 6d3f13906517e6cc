package hermit.api;

import java.util.Map;
import java.util.Optional;

/// `GET /ready`.
///
/// - `status`: `ready`, `degraded` (some backend cannot be used) or `unavailable`.
public record Readiness(String status, Part database, Map<String, Part> backends) {
    /// - `state`: `up`, `down` or `not_configured` (no credential is set).
    /// - `detail`: for admins only.
    public record Part(String state, Optional<String> detail) {}
}
