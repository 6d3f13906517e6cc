package hermit.tool;

/// A text that is too long, as its head and its tail with a word in between on what is missing.
///
/// - `head`, `tail`: how many characters of each stay.
public record LongText(int head, int tail) {
    /// The word in between takes some characters, too: what was cut before is not cut again.
    private static final int SLACK = 250;

    public boolean fits(String text) {
        return text.length() <= head + tail + SLACK;
    }

    /// Where the tail begins, and the head ends: never in the middle of a character.
    public String head(String text) {
        int end = Math.min(head, text.length());
        if (end > 0 && end < text.length() && Character.isLowSurrogate(text.charAt(end))) end--;
        return text.substring(0, end);
    }

    /// `hint`: how to get at what is missing.
    public String cut(String text, String hint) {
        if (fits(text)) return text;
        String head = head(text);
        int from = text.length() - tail;
        if (Character.isLowSurrogate(text.charAt(from))) from++;
        int missing = from - head.length();
        return "%s\n[… %d characters left out here; %s …]\n%s".formatted(head, missing, hint, text.substring(from));
    }
}
