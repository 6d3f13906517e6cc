package hermit.approval;

/// A text in a form that shows what is in it: one line, in the order in which it is stored, with
/// everything that a screen would hide, reorder or act upon written as `⟦U+202E⟧`.
public final class ShownText {
    /// Of a longer text the beginning and the end are shown, and how much lies between.
    private static final int HEAD = 2_000;

    private static final int TAIL = 1_000;
    private static final int OPENING = 0x27E6;

    private ShownText() {}

    public static String of(String text) {
        int[] points = text.codePoints().toArray();
        var shown = new StringBuilder();
        if (points.length <= HEAD + TAIL) {
            append(points, 0, points.length, shown);
            return shown.toString();
        }
        append(points, 0, HEAD, shown);
        shown.append("⟦%d more characters⟧".formatted(points.length - HEAD - TAIL));
        append(points, points.length - TAIL, points.length, shown);
        return shown.toString();
    }

    private static void append(int[] points, int from, int to, StringBuilder shown) {
        for (int i = from; i < to; i++) {
            if (isPlain(points[i])) shown.appendCodePoint(points[i]);
            else shown.append("⟦U+%04X⟧".formatted(points[i]));
        }
    }

    private static boolean isPlain(int point) {
        if (point == OPENING) return false;
        if (point == ' ') return true;
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SPACE_SEPARATOR -> false;
            default -> true;
        };
    }
}
