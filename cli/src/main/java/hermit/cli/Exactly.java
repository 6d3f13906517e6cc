package hermit.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;

/// Copies as many bytes as were announced, although a file may change while it is read.
final class Exactly {
    private Exactly() {}

    static void transfer(InputStream in, OutputStream out, long length, Path file) throws IOException {
        byte[] buffer = new byte[64 << 10];
        for (long left = length; left > 0; ) {
            int got = in.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (got < 0) throw new IOException(file + " became shorter while it was read");
            out.write(buffer, 0, got);
            left -= got;
        }
    }
}
