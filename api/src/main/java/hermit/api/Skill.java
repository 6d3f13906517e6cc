package hermit.api;

import java.time.Instant;

/// A skill as it was at the last scan.
///
/// - `digest`: SHA-256 in hex of all its files.
/// - `enabled`: `none`, `agent` (for the agent that was asked about), or `all` (for every agent).
public record Skill(
        String name, String description, String digest, int files, long bytes, Instant scannedAt, String enabled) {}
