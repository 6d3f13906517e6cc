package hermit.cli;

import java.util.ArrayList;
import java.util.List;

/// Rows under a header, in aligned columns.
final class Table {
    private static final String BOLD = "\033[1m";
    private static final String PLAIN = "\033[0m";

    private final List<List<String>> rows = new ArrayList<>();

    Table(String... header) {
        row(header);
    }

    Table row(String... cells) {
        var row = new ArrayList<String>();
        for (String cell : cells) row.add(Output.printable(cell).replace('\n', ' '));
        rows.add(row);
        return this;
    }

    String render(boolean colours) {
        int columns = rows.getFirst().size();
        var widths = new int[columns];
        for (List<String> row : rows)
            for (int i = 0; i < columns; i++) widths[i] = Math.max(widths[i], length(row.get(i)));
        var text = new StringBuilder();
        for (int r = 0; r < rows.size(); r++) {
            var line = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                var cell = rows.get(r).get(i);
                line.append(cell);
                if (i < columns - 1) line.repeat(' ', widths[i] - length(cell) + 2);
            }
            var header = r == 0 && colours;
            text.append(header ? BOLD : "")
                    .append(line.toString().stripTrailing())
                    .append(header ? PLAIN : "")
                    .append('\n');
        }
        return text.toString();
    }

    private static int length(String cell) {
        return cell.codePointCount(0, cell.length());
    }
}
