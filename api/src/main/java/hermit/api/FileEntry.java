package hermit.api;

import java.time.Instant;
import java.util.Optional;

/// A file in a sandbox.
///
/// - `path`: absolute.
/// - `type`: `file`, `directory`, `link`, `pipe`, `socket`, `char_device` or `block_device`.
/// - `size`: in bytes.
/// - `mode`: permission bits in octal, such as `0644`.
/// - `target`: where a link points; empty for anything else.
public record FileEntry(
        String path,
        String name,
        String type,
        long size,
        String mode,
        long uid,
        long gid,
        Instant modifiedAt,
        Optional<String> target) {}
