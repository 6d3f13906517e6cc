package hermit.backend.tenki;

import com.google.protobuf.ByteString;
import hermit.backend.keeper.Bridge;
import hermit.exec.MachineGone;
import hermit.tenki.wire.RunResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.Objects;

/// A program's stdin and stdout as a bridge. What it says on its stderr is kept for the message of its end.
final class RunBridge implements Bridge {
    private static final int CHUNK = 32 << 10;
    private static final int MOST_STDERR = 2_000;

    private final RunCall run;
    private final InputStream in = new In();
    private final OutputStream out = new Out();
    private final StringBuilder stderr = new StringBuilder();

    RunBridge(RunCall run) {
        this.run = run;
    }

    @Override
    public InputStream in() {
        return in;
    }

    @Override
    public OutputStream out() {
        return out;
    }

    @Override
    public void close() {
        run.end();
    }

    private final class In extends InputStream {
        private ByteString rest = ByteString.EMPTY;
        private boolean ended;

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, buffer.length);
            if (length == 0) return 0;
            while (rest.isEmpty() && !ended) more();
            if (rest.isEmpty()) return -1;
            int n = Math.min(length, rest.size());
            rest.substring(0, n).copyTo(buffer, offset);
            rest = rest.substring(n);
            return n;
        }

        private void more() throws IOException {
            try {
                var frame = run.next().orElseThrow(() -> new IOException("the stream out of the sandbox has no end"));
                switch (frame.getPayloadCase()) {
                    case STDOUT -> rest = frame.getStdout();
                    case STDERR -> keep(frame);
                    case EXIT -> {
                        ended = true;
                        int code = RunEnd.code("the stream to the keeper", frame.getExit());
                        if (code != 0)
                            throw new IOException("the program of the stream ended with %d: %s"
                                    .formatted(code, CallFailed.plain(stderr.toString())));
                    }
                    case STARTED, FLOW, PAYLOAD_NOT_SET -> {} // nothing to read
                }
            } catch (CallFailed e) {
                ended = true;
                throw new IOException("the stream out of the sandbox broke: " + e.getMessage(), e);
            } catch (MachineGone e) {
                throw new IOException(e.getMessage(), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while reading from the sandbox");
            }
        }

        private void keep(RunResponse frame) {
            String text = frame.getStderr().toStringUtf8();
            stderr.append(text, 0, Math.min(text.length(), MOST_STDERR - stderr.length()));
        }
    }

    private final class Out extends OutputStream {
        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] buffer, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, buffer.length);
            try {
                for (int at = 0; at < length; at += CHUNK)
                    run.stdin(ByteString.copyFrom(buffer, offset + at, Math.min(CHUNK, length - at)));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while writing into the sandbox");
            }
        }
    }
}
