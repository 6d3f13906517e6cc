package hermit.exec;

import java.nio.ByteBuffer;

/// Takes a command's output as it is produced. Called by one thread at a time for a command, in order for each
/// stream.
@FunctionalInterface
public interface OutputSink {
    /// `offset` is that of the first byte within its stream; a jump means that the bytes between were dropped. The
    /// buffer is only valid during the call.
    void output(OutputStreamKind stream, long offset, ByteBuffer bytes) throws InterruptedException;
}
