package hermit.command;

/// What is kept of a command's output once it has ended: the beginning of each stream, up to the cap of
/// its answer. The arrays are not copied; nobody changes them.
@SuppressWarnings("ArrayRecordComponent")
public record StoredOutput(byte[] stdout, byte[] stderr) {
    public static final StoredOutput NONE = new StoredOutput(new byte[0], new byte[0]);

    /// In bytes, of both.
    public long size() {
        return (long) stdout.length + stderr.length;
    }
}
