package hermit.backend.keeper;

/// The types of frames, with their codes on the wire and the way that they travel.
enum FrameType {
    HELLO(0x01, true),
    PING(0x02, true),
    PONG(0x03, true),
    ERROR(0x04, true),
    START(0x10, false),
    STARTED(0x11, true),
    REFUSED(0x12, true),
    ATTACH(0x13, false),
    ATTACHED(0x14, true),
    DETACH(0x15, false),
    FORGET(0x16, false),
    MORE(0x17, false),
    OUTPUT(0x20, true),
    CREDIT(0x21, false),
    STDIN(0x22, false),
    STDIN_CREDIT(0x23, true),
    STDIN_EOF(0x24, false),
    STDIN_CLOSED(0x25, true),
    SIGNAL(0x26, false),
    CANCEL(0x27, false),
    RESIZE(0x28, false),
    END(0x30, true);

    private static final FrameType[] ALL = values();

    private final int code;
    private final boolean fromKeeper;

    FrameType(int code, boolean fromKeeper) {
        this.code = code;
        this.fromKeeper = fromKeeper;
    }

    byte code() {
        return (byte) code;
    }

    /// The type that a keeper means by this code; one that only a gateway may send is as wrong as an unknown one.
    static FrameType fromKeeper(int code) throws BadFrame {
        for (FrameType type : ALL) {
            if (type.code != code) continue;
            if (type.fromKeeper) return type;
            throw new BadFrame("the keeper sent a %s frame, which only a gateway may send".formatted(type));
        }
        throw new BadFrame("the keeper sent a frame of unknown type 0x%02x".formatted(code));
    }
}
