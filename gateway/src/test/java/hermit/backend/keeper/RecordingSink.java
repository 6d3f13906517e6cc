package hermit.backend.keeper;

import hermit.exec.OutputSink;
import hermit.exec.OutputStreamKind;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// Keeps what it is given, and insists on order.
final class RecordingSink implements OutputSink {
    private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
    private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();
    private long base = -1;

    @Override
    public synchronized void output(OutputStreamKind stream, long offset, ByteBuffer bytes) {
        var to = stream == OutputStreamKind.STDOUT ? stdout : stderr;
        if (stream == OutputStreamKind.STDOUT) {
            if (base < 0) base = offset;
            if (offset != base + stdout.size()) throw new AssertionError("jumped to " + offset);
        }
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        to.writeBytes(copy);
    }

    synchronized String stdout() {
        return stdout.toString(StandardCharsets.UTF_8);
    }

    synchronized byte[] stdoutBytes() {
        return stdout.toByteArray();
    }

    synchronized String stderr() {
        return stderr.toString(StandardCharsets.UTF_8);
    }
}
