package hermit.cli;

/// A text that has to fit into a line, for a look at it. Nobody decides by it.
final class Clipped {
    private Clipped() {}

    /// Its first characters, at most `most` with the sign that there are more.
    static String of(String text, int most) {
        if (text.codePointCount(0, text.length()) <= most) return text;
        return text.substring(0, text.offsetByCodePoints(0, Math.max(0, most - 1))) + "…";
    }
}
