package hermit.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// What a terminal prints, on its way to the screen: each byte once, also when a replay brings some of them
/// again.
final class TerminalScreen {
    /// What programs switch on and those that were left cannot switch off: alternate screen, mouse reports,
    /// bracketed paste, application keys, a hidden cursor, colours.
    private static final byte[] CLEAN =
            "\033[?1049l\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l\033[?1l\033>\033[?25h\033[0m\r\n"
                    .getBytes(StandardCharsets.US_ASCII);

    private final Output output;
    private boolean begun;
    private long shown;
    private long next;

    /// With `fromTheBeginning`, the first byte ever printed is expected first; otherwise, whatever comes.
    TerminalScreen(Output output, boolean fromTheBeginning) {
        this.output = output;
        this.begun = fromTheBeginning;
    }

    /// The next byte that comes is the one at this offset. What lies between it and the last one shown is
    /// lost.
    void goOnAt(long offset) {
        if (begun && offset > shown) output.aside("%d bytes of output are missing here".formatted(offset - shown));
        if (!begun || offset > shown) shown = offset;
        begun = true;
        next = offset;
    }

    /// How much of the terminal's output has been shown, or will not be.
    long shown() {
        return shown;
    }

    void show(byte[] bytes) throws IOException {
        begun = true;
        int known = Math.clamp(shown - next, 0, bytes.length);
        next += bytes.length;
        shown = Math.max(shown, next);
        if (known < bytes.length) output.bytes(false, Arrays.copyOfRange(bytes, known, bytes.length));
    }

    /// Makes the screen usable when the program on it goes on without it.
    void leave() throws IOException {
        output.bytes(false, CLEAN);
    }
}
