package hermit.fake.daytona;

import java.io.ByteArrayOutputStream;

/// Takes the marks out of a log.
final class Marked {
    private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
    private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();
    private final ByteArrayOutputStream both = new ByteArrayOutputStream();

    Marked(byte[] log) {
        var current = stdout;
        for (int i = 0; i < log.length; i++) {
            if (isMark(log, i, (byte) 1) || isMark(log, i, (byte) 2)) {
                current = log[i] == 1 ? stdout : stderr;
                i += 2;
                continue;
            }
            current.write(log[i]);
            both.write(log[i]);
        }
    }

    byte[] stdout() {
        return stdout.toByteArray();
    }

    byte[] stderr() {
        return stderr.toByteArray();
    }

    byte[] both() {
        return both.toByteArray();
    }

    private static boolean isMark(byte[] log, int at, byte mark) {
        return at + 2 < log.length && log[at] == mark && log[at + 1] == mark && log[at + 2] == mark;
    }
}
