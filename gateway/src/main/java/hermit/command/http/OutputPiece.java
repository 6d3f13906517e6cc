package hermit.command.http;

import hermit.command.ExecRequest.Encoding;
import hermit.http.FrameBuffer;
import hermit.http.WrittenJson;
import java.util.Arrays;
import java.util.Base64;

/// The data of one event `stdout` or `stderr`: the JSON of [hermit.api.ExecOutput], straight from the bytes.
///
/// - `length`: how many of the bytes are meant, from the first on.
/// - `offset`: of the first byte in its stream.
@SuppressWarnings("ArrayRecordComponent")
record OutputPiece(byte[] bytes, int length, Encoding encoding, long offset) implements WrittenJson {
    @Override
    public void writeTo(FrameBuffer frame) {
        frame.append("{\"data\":\"");
        switch (encoding) {
            case UTF8 -> JsonEscapes.write(bytes, length, frame);
            case BASE64 -> frame.append(Base64.getEncoder().encode(Arrays.copyOf(bytes, length)));
        }
        frame.append("\",\"encoding\":\"" + encoding + "\",\"offset\":" + offset + "}");
    }

    /// Base64 makes four out of three, and most text has an escape in each line.
    @Override
    public int expectedSize() {
        return length + length / 3 + 128;
    }
}
