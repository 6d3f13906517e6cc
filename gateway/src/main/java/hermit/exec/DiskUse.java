package hermit.exec;

/// How a command stood with the limit on what its sandbox's workspace may take on the disk.
///
/// - `used`: bytes, as they were measured last when it ended; 0 if they had not been measured yet. From
///   [#IMMEASURABLE] on it could not be measured, and counts as too much.
public record DiskUse(ByteSize limit, long used, Effect effect) {
    /// No disk has so much.
    public static final long IMMEASURABLE = 1L << 62;

    /// What the limit did to the command.
    public enum Effect {
        NONE,
        /// The limit was exceeded when it started: it could remove files, and let none grow.
        BARRED,
        /// The limit was exceeded while it ran, and it was ended with all that ran beside it.
        ENDED
    }
}
