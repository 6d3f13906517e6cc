package hermit.backend.e2b;

import hermit.backend.keeper.Bridge;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/// Stdout and stdin of a process that the daemon has started.
///
/// Stdin goes in calls of their own, each awaited before the next: what its writer collects meanwhile is one call. A
/// call that is not answered may have been carried out, so it is never repeated: the bridge is given up.
final class ProcessBridge implements Bridge {
    /// The daemon took 5 MB at once; a pipe holds 64 KiB.
    private static final int LARGEST_INPUT = 64 << 10;

    private final Daemon daemon;
    private final ProcessEvents events;
    private final In in = new In();
    private final Out out = new Out();
    private final AtomicBoolean closed = new AtomicBoolean();

    ProcessBridge(Daemon daemon, ProcessEvents events) {
        this.daemon = daemon;
        this.events = events;
    }

    @Override
    public InputStream in() {
        return in;
    }

    @Override
    public OutputStream out() {
        return out;
    }

    /// The process would live on without its stream, so it is killed; nobody waits for that.
    @Override
    public void close() {
        if (closed.getAndSet(true)) return;
        events.close();
        Thread.ofVirtual().name("e2b-kill").start(this::kill);
    }

    private void kill() {
        try {
            daemon.kill(events.pid());
        } catch (IOException | Daemon.Refusal _) {
            // Then it has ended, or its machine does not run. A bridge that is left over ends by itself when it has
            // heard nothing for a minute.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private final class In extends InputStream {
        private byte[] piece = new byte[0];
        private int at;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, into.length);
            if (length == 0) return 0;
            while (at == piece.length) {
                if (closed.get()) throw new IOException("the stream to the sandbox was closed");
                switch (events.next()) {
                    case ProcessEvents.Output(var stderr, var bytes) -> {
                        // The bridge explains itself there, for people who look into the machine.
                        if (stderr) continue;
                        piece = bytes;
                        at = 0;
                    }
                    case ProcessEvents.End(var code) ->
                        throw new IOException("the program in the sandbox ended with " + code);
                }
            }
            int count = Math.min(length, piece.length - at);
            System.arraycopy(piece, at, into, offset, count);
            at += count;
            return count;
        }

        @Override
        public int available() {
            return piece.length - at;
        }
    }

    private final class Out extends OutputStream {
        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, bytes.length);
            for (int from = offset; from < offset + length; from += LARGEST_INPUT)
                send(Arrays.copyOfRange(bytes, from, Math.min(from + LARGEST_INPUT, offset + length)));
        }

        private void send(byte[] piece) throws IOException {
            if (closed.get()) throw new IOException("the stream to the sandbox was closed");
            try {
                daemon.input(events.pid(), piece);
            } catch (Daemon.Refusal e) {
                throw new IOException(e.getMessage(), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while sending to the sandbox", e);
            }
        }
    }
}
