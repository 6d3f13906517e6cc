package hermit.command;

/// What was asked of a file: its bytes, or some of them, or that there are none where they were looked for.
public sealed interface FileContent {
    FileInfo info();

    /// The bytes from `offset`, which the caller takes and closes.
    record Bytes(FileInfo info, long offset, FileDownload download) implements FileContent {}

    /// The file ends before the range begins.
    record NoSuchRange(FileInfo info) implements FileContent {}
}
