package hermit.backend.keeper;

import java.nio.ByteBuffer;

/// One frame from the keeper. The payload is this frame's own: nothing else uses its bytes.
record Frame(FrameType type, int channel, ByteBuffer payload) {
    /// Of length, type and channel together.
    static final int HEADER = 9;

    static final int MOST_PAYLOAD = 65_536;
    /// What the length on the wire counts besides the payload.
    static final int COUNTED_HEADER = 5;

    /// The payload of a frame that has none.
    void mustBeEmpty() throws BadFrame {
        if (payload.hasRemaining()) throw new BadFrame("%s must be empty".formatted(type));
    }

    /// The payload of a frame that carries one u32.
    long oneNumber() throws BadFrame {
        if (payload.remaining() != 4) throw new BadFrame("%s must carry 4 bytes".formatted(type));
        return Integer.toUnsignedLong(payload.getInt(payload.position()));
    }
}
