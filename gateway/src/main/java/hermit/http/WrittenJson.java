package hermit.http;

/// Data of an event that writes its own JSON, for what is sent too often for a mapper. It writes what the mapper would:
/// one line.
public interface WrittenJson {
    void writeTo(FrameBuffer frame);

    /// About how many bytes that will be.
    int expectedSize();
}
