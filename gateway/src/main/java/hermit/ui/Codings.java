package hermit.ui;

import hermit.ui.UiFiles.Form;
import java.util.Locale;
import java.util.regex.Pattern;

/// Reads `Accept-Encoding` (RFC 9110, 12.5.3).
final class Codings {
    private static final Pattern REFUSED = Pattern.compile(".*;\\s*q=0(\\.0*)?\\s*");

    private Codings() {}

    /// The smallest form that the header names, whatever weight it has there. What it does not name is not sent, also
    /// where it has a `*`: every browser names what it wants.
    static Form best(String header) {
        var named = Pattern.compile(",")
                .splitAsStream(header.toLowerCase(Locale.ROOT))
                .filter(each -> !REFUSED.matcher(each).matches())
                .map(each -> each.replaceAll(";.*", "").strip())
                .toList();
        for (Form form : Form.values()) if (named.contains(form.coding)) return form;
        return Form.PLAIN;
    }
}
