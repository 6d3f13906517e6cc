package hermit.approval;

import hermit.api.VisibleText;

/// A text as [VisibleText], and of a long one only the ends.
public final class ShownText {
    /// Of a longer text the beginning and the end are shown, and how much lies between.
    private static final int HEAD = 2_000;

    private static final int TAIL = 1_000;

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
        for (int i = from; i < to; i++) VisibleText.append(points[i], shown);
    }
}
