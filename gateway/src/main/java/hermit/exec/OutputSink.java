package hermit.exec;

import java.nio.ByteBuffer;

/// Takes a command's output as it is produced. Called by one thread at a time for a command, in order for each
/// stream.
@FunctionalInterface
public interface OutputSink {
    /// `offset` is that of the first byte within its stream; a jump means that the bytes between were dropped. The
    /// buffer is only valid during the call.
    void output(OutputStreamKind stream, long offset, ByteBuffer bytes) throws InterruptedException;

    /// Like [#output] for a sink that can take all of it at once, without waiting for anybody; otherwise false, and
    /// nothing is taken. Saves those who have a thread for each sink that may wait from waking it up.
    default boolean offer(OutputStreamKind stream, long offset, ByteBuffer bytes) {
        return false;
    }
}
