package hermit.backend.keeper;

import java.nio.ByteBuffer;
import java.util.UUID;

/// How a keeper introduces itself.
///
/// - `boot`: random, made when it started. Another one means another run of the machine, which knows no old command.
record Hello(String build, UUID boot, String architecture) {
    /// The protocol version that this gateway speaks.
    static final long VERSION = 1;

    static Hello read(ByteBuffer payload) throws BadFrame {
        var fields = FieldsReader.of(payload);
        long version = fields.number(1, Long.MAX_VALUE);
        if (version != VERSION) throw new BadFrame("the keeper chose protocol version " + version);
        String build = fields.prose(2, 64);
        var boot = fields.sized(3, 16);
        var hello = new Hello(build, new UUID(boot.getLong(), boot.getLong()), fields.prose(4, 64));
        fields.finish();
        return hello;
    }

    /// What the gateway says first.
    static byte[] ours() {
        return new FieldsWriter().number(1, VERSION).number(2, VERSION).bytes();
    }
}
