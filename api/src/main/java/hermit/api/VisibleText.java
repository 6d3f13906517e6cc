package hermit.api;

/// Text in a form that shows all that is in it: one line, in the order in which it is stored, with everything that a
/// screen would hide, reorder or act upon written as `⟦U+202E⟧`. Nobody can write such a sign themselves: its bracket
/// is written out, too.
public final class VisibleText {
    private static final int OPENING = 0x27E6;

    private VisibleText() {}

    public static String of(String text) {
        var shown = new StringBuilder(text.length());
        text.codePoints().forEach(point -> append(point, shown));
        return shown.toString();
    }

    public static void append(int point, StringBuilder shown) {
        if (isPlain(point)) shown.appendCodePoint(point);
        else shown.append("⟦U+%04X⟧".formatted(point));
    }

    private static boolean isPlain(int point) {
        if (point == ' ') return true;
        if (point == OPENING || isBlank(point)) return false;
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

    /// Letters, marks and symbols that leave no trace on a screen: Unicode's `Default_Ignorable_Code_Point` as far as
    /// their category does not tell, and the empty Braille pattern.
    private static boolean isBlank(int point) {
        return switch (point) {
            case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0 -> true;
            default ->
                (point >= 0x180B && point <= 0x180F)
                        || (point >= 0xFE00 && point <= 0xFE0F)
                        || (point >= 0xE0000 && point <= 0xE0FFF);
        };
    }
}
