package hermit.cli;

import org.jline.utils.WCWidth;

/// How wide text is on a terminal, where some characters take two columns and some none.
final class Columns {
    private Columns() {}

    /// Its beginning, in at most `most` columns with the sign that there is more.
    static String clipped(String text, int most) {
        if (of(text) <= most) return text;
        var clipped = new StringBuilder();
        int columns = 1; // of the sign
        for (int point : text.codePoints().toArray()) {
            columns += of(point);
            if (columns > most) break;
            clipped.appendCodePoint(point);
        }
        return clipped.append('…').toString();
    }

    private static int of(String text) {
        return text.codePoints().map(Columns::of).sum();
    }

    private static int of(int point) {
        return Math.max(0, WCWidth.wcwidth(point));
    }
}
