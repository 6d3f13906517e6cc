package hermit.skill;

import java.time.Instant;

/// A skill as it was at the last scan.
///
/// - `description`: what it is for and when to use it, for a model to read.
/// - `digest`: SHA-256 in hex of all its files; another digest is another version.
/// - `files`, `bytes`: of its folder.
public record Skill(SkillName name, String description, String digest, int files, long bytes, Instant scannedAt) {}
