package hermit.cli;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.OptionalLong;

/// Shows in one changing line on the terminal how far a transfer has got, and counts its bytes.
final class TransferProgress implements AutoCloseable {
    private static final String CLEAR_LINE = "\r\033[K";
    /// Often enough to see that it moves.
    private static final long EVERY_NANOS = 200_000_000;

    private final Output output;
    private final boolean shows;
    private final OptionalLong total;
    private long bytes;
    private long shownAt;
    private boolean shown;

    /// Nothing is shown where stderr is no terminal.
    TransferProgress(CliContext cli, OptionalLong total) {
        this.output = cli.output();
        this.shows = cli.surroundings().errIsTerminal();
        this.total = total;
        this.shownAt = System.nanoTime();
    }

    long bytes() {
        return bytes;
    }

    /// Counts what is read from it.
    InputStream counting(InputStream in) {
        return new FilterInputStream(in) {
            @Override
            public int read() throws IOException {
                int one = in.read();
                if (one >= 0) moved(1);
                return one;
            }

            @Override
            public int read(byte[] into, int offset, int count) throws IOException {
                int got = in.read(into, offset, count);
                if (got > 0) moved(got);
                return got;
            }
        };
    }

    private void moved(long count) {
        bytes += count;
        long now = System.nanoTime();
        if (!shows || now - shownAt < EVERY_NANOS) return;
        shownAt = now;
        shown = true;
        String of = total.isPresent() && total.getAsLong() > 0
                ? " of %s (%d %%)".formatted(size(total.getAsLong()), bytes * 100 / total.getAsLong())
                : "";
        output.status(CLEAR_LINE + size(bytes) + of);
    }

    static String size(long bytes) {
        if (bytes < 1024) return bytes + " bytes";
        double amount = bytes;
        String unit = "";
        for (String next : new String[] {"KiB", "MiB", "GiB", "TiB"}) {
            if (amount < 1024) break;
            amount /= 1024;
            unit = next;
        }
        return String.format(Locale.ROOT, "%.1f %s", amount, unit);
    }

    @Override
    public void close() {
        if (shown) output.status(CLEAR_LINE);
        shown = false;
    }
}
