package hermit.config;

import hermit.problem.FieldError;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// The file `.env`: lines of `KEY=VALUE`, optionally after `export`. A value is taken as it stands up to a `#` that
/// follows white space; `'single quotes'` keep everything; `"double quotes"` know `\n`, `\t`, `\"` and `\\`.
/// Nothing is expanded. Messages name the line and never its text, which may be a secret.
final class Dotenv {
    private static final Pattern KEY = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");
    private static final Pattern EXPORT = Pattern.compile("^export\\s+");
    private static final Pattern COMMENT = Pattern.compile("(?:^|\\s+)#.*$");

    private Dotenv() {}

    static Map<String, String> parse(String text, List<FieldError> mistakes) {
        var values = new LinkedHashMap<String, String>();
        int number = 0;
        for (String raw : text.split("\\R", -1)) {
            number++;
            String line = raw.strip();
            if (line.isEmpty() || line.startsWith("#")) continue;
            String where = ".env line " + number;
            line = EXPORT.matcher(line).replaceFirst("");
            int equals = line.indexOf('=');
            if (equals < 0 || !KEY.matcher(line.substring(0, equals).strip()).matches()) {
                mistakes.add(new FieldError(where, "must be KEY=VALUE"));
                continue;
            }
            String key = line.substring(0, equals).strip();
            Optional<String> value = value(line.substring(equals + 1).strip());
            if (value.isEmpty()) mistakes.add(new FieldError(where, "the value of " + key + " is not quoted properly"));
            else if (values.containsKey(key)) mistakes.add(new FieldError(where, key + " is given twice"));
            else values.put(key, value.get());
        }
        return values;
    }

    private static Optional<String> value(String text) {
        if (text.startsWith("'")) {
            int end = text.indexOf('\'', 1);
            return end > 0 && nothingAfter(text, end) ? Optional.of(text.substring(1, end)) : Optional.empty();
        }
        if (text.startsWith("\"")) return doubleQuoted(text);
        return Optional.of(COMMENT.matcher(text).replaceFirst(""));
    }

    private static Optional<String> doubleQuoted(String text) {
        var value = new StringBuilder();
        for (int i = 1; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"') return nothingAfter(text, i) ? Optional.of(value.toString()) : Optional.empty();
            if (c != '\\') {
                value.append(c);
                continue;
            }
            if (++i == text.length()) return Optional.empty();
            switch (text.charAt(i)) {
                case 'n' -> value.append('\n');
                case 't' -> value.append('\t');
                case '"' -> value.append('"');
                case '\\' -> value.append('\\');
                default -> {
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }

    private static boolean nothingAfter(String text, int end) {
        String rest = text.substring(end + 1);
        return rest.isBlank() || COMMENT.matcher(rest).matches();
    }
}
