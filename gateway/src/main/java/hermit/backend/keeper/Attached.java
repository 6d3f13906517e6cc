package hermit.backend.keeper;

import java.nio.ByteBuffer;

/// A command was found again: how much it has printed by now.
record Attached(long stdoutTotal, long stderrTotal, boolean ended, long sinceStartMillis) {
    static Attached read(ByteBuffer payload) throws BadFrame {
        var fields = FieldsReader.of(payload);
        fields.number(1, Long.MAX_VALUE); // its pid in the machine, of no use here
        var attached = new Attached(
                fields.number(2, Long.MAX_VALUE),
                fields.number(3, Long.MAX_VALUE),
                fields.bool(4),
                fields.number(5, Ended.LONGEST_MICROS / 1_000));
        fields.finish();
        return attached;
    }
}
