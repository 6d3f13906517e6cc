package hermit.backend.keeper;

import java.nio.ByteBuffer;

/// A command was found again: how much it has printed by now.
///
/// - `pid`: within the machine; 0 while the program is still to be executed, which may yet fail.
record Attached(long pid, long stdoutTotal, long stderrTotal, boolean ended, long sinceStartMillis) {
    static Attached read(ByteBuffer payload) throws BadFrame {
        var fields = FieldsReader.of(payload);
        var attached = new Attached(
                fields.number(1, Long.MAX_VALUE),
                fields.number(2, Long.MAX_VALUE),
                fields.number(3, Long.MAX_VALUE),
                fields.bool(4),
                fields.number(5, Ended.LONGEST_MICROS / 1_000));
        fields.finish();
        return attached;
    }
}
