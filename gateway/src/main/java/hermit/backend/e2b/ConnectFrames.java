package hermit.backend.e2b;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/// The envelope of Connect's streams: a byte of flags, a length of four bytes, a message.
final class ConnectFrames {
    /// The daemon sends 43 724 bytes at most.
    private static final int LARGEST = 1 << 20;

    private static final int COMPRESSED = 1;
    private static final int END = 2;

    private final DataInputStream in;

    ConnectFrames(InputStream in) {
        this.in = new DataInputStream(in);
    }

    /// - `end`: nothing comes after it.
    record Frame(boolean end, JsonNode message) {}

    static byte[] enveloped(byte[] message) {
        return ByteBuffer.allocate(5 + message.length)
                .put((byte) 0)
                .putInt(message.length)
                .put(message)
                .array();
    }

    /// Throws [EOFException] if the stream breaks off: what it was about is unknown then, however politely it ended.
    Frame read() throws IOException {
        int flags = in.read();
        if (flags < 0) throw new EOFException("the stream from the sandbox broke off");
        int length = in.readInt();
        if (length < 0 || length > LARGEST || (flags & COMPRESSED) != 0)
            throw new IOException("the stream from the sandbox is not what it should be");
        byte[] message = in.readNBytes(length);
        if (message.length < length) throw new EOFException("the stream from the sandbox broke off in a message");
        return new Frame((flags & END) != 0, Calls.JSON.readTree(message));
    }
}
