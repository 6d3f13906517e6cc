package hermit.api;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.OptionalLong;

/// Bytes that a gateway sends. The end of the stream is the end of the whole: reading throws [Broken] where the
/// connection broke before.
public final class GatewayDownload extends FilterInputStream {
    /// The connection ended before the whole had come.
    public static final class Broken extends IOException {
        Broken(String when, Throwable cause) {
            super("the gateway's connection ended " + when, cause);
        }
    }

    private final OptionalLong length;
    private final Runnable disconnect;
    private long taken;

    GatewayDownload(InputStream body, OptionalLong length, Runnable disconnect) {
        super(body);
        this.length = length;
        this.disconnect = disconnect;
    }

    /// As announced, in bytes.
    public OptionalLong length() {
        return length;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int count) throws IOException {
        int got;
        try {
            got = in.read(bytes, offset, count);
        } catch (IOException e) {
            throw new Broken("after %d bytes: %s".formatted(taken, GatewayClient.reason(e)), e);
        }
        if (got > 0) taken += got;
        return got;
    }

    @Override
    public long skip(long count) throws IOException {
        return readNBytes((int) Math.min(count, 1 << 16)).length;
    }

    @Override
    public boolean markSupported() {
        return false;
    }

    /// Leaves it, also in the middle.
    @Override
    public void close() {
        disconnect.run();
    }
}
