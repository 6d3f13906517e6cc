package hermit.backend.keeper;

import hermit.exec.ByteSize;
import hermit.exec.DiskUse;
import hermit.exec.Exit;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/// What the keeper recorded of a command's end.
record Ended(
        How how,
        int code,
        int signal,
        long stdoutTotal,
        long stderrTotal,
        long oomKills,
        long micros,
        boolean killed,
        Optional<DiskUse> disk) {
    /// Far beyond any deadline, and far from overflow when it is turned into other units.
    static final long LONGEST_MICROS = Long.MAX_VALUE / 10_000;

    private static final int KILL = 9;
    /// What a shell reports when a child of its own was killed.
    private static final int KILLED_CODE = 128 + KILL;

    /// In the order of their numbers on the wire, from 0.
    private static final DiskUse.Effect[] EFFECTS = DiskUse.Effect.values();

    /// In the order of their numbers on the wire, from 1.
    enum How {
        EXITED,
        SIGNALED,
        TIMED_OUT,
        CANCELLED,
        STDIN_CUT;

        private static final How[] ALL = values();
    }

    static Ended read(ByteBuffer payload) throws BadFrame {
        var fields = FieldsReader.of(payload);
        long how = fields.number(1, How.ALL.length);
        if (how == 0) throw new BadFrame("END with how 0");
        var ended = new Ended(
                How.ALL[(int) how - 1],
                (int) fields.number(2, 255),
                (int) fields.number(3, 64),
                fields.number(4, Long.MAX_VALUE),
                fields.number(5, Long.MAX_VALUE),
                fields.number(6, Long.MAX_VALUE),
                fields.number(7, LONGEST_MICROS),
                fields.bool(8),
                fields.has(9) ? Optional.of(disk(fields)) : Optional.empty());
        fields.finish();
        if (ended.how == How.SIGNALED && ended.signal == 0) throw new BadFrame("END by a signal that is not named");
        return ended;
    }

    private static DiskUse disk(FieldsReader fields) throws BadFrame {
        return new DiskUse(
                new ByteSize(fields.number(9, Long.MAX_VALUE)),
                fields.number(10, Long.MAX_VALUE),
                EFFECTS[(int) fields.number(11, EFFECTS.length - 1)]);
    }

    Exit.End toEnd() {
        var duration = Duration.of(micros, ChronoUnit.MICROS);
        return new Exit.End(exit(), stdoutTotal, stderrTotal, duration, oomKills, disk);
    }

    private Exit exit() {
        return switch (how) {
            case EXITED -> code == KILLED_CODE && oomKills > 0 ? new Exit.OomKilled() : new Exit.Exited(code);
            case SIGNALED -> signal == KILL && oomKills > 0 ? new Exit.OomKilled() : new Exit.Signaled(signal);
            case TIMED_OUT -> new Exit.TimedOut();
            case CANCELLED -> new Exit.Cancelled(killed);
            case STDIN_CUT -> new Exit.TransportLost("its stdin was cut short when the connection broke");
        };
    }
}
