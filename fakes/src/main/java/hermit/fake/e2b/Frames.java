package hermit.fake.e2b;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;

/// The envelope of Connect's streams: one byte of flags, a length of four, a message.
final class Frames {
    private static final int END = 2;

    private Frames() {}

    static byte[] message(Object value) {
        return frame(0, value);
    }

    static byte[] end() {
        return frame(END, Map.of());
    }

    static byte[] end(RpcError error) {
        return frame(END, Map.of("error", error));
    }

    /// The one message of a request.
    static JsonNode read(byte[] body) throws Refused {
        try (var in = new DataInputStream(new ByteArrayInputStream(body))) {
            int flags = in.readUnsignedByte();
            int length = in.readInt();
            if (flags != 0 || length != in.available())
                throw RpcError.of("unimplemented", "one message only").ended();
            return Json.MAPPER.readTree(in.readNBytes(length));
        } catch (IOException e) {
            throw RpcError.of("invalid_argument", "unmarshal message: " + e.getMessage())
                    .ended();
        }
    }

    private static byte[] frame(int flags, Object value) {
        byte[] payload = Json.bytes(value);
        return ByteBuffer.allocate(5 + payload.length)
                .put((byte) flags)
                .putInt(payload.length)
                .put(payload)
                .array();
    }
}
