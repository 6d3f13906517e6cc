package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.JsonTree;

/// One document for a person: a line for each field.
final class Details {
    private Details() {}

    static String of(JsonNode document) {
        var width = 0;
        for (var field : document.properties())
            width = Math.max(width, field.getKey().length());
        var text = new StringBuilder();
        for (var field : document.properties())
            text.append(field.getKey())
                    .repeat(' ', width - field.getKey().length() + 2)
                    .append(Output.printable(value(field.getValue())))
                    .append('\n');
        return text.toString();
    }

    /// A value in one line; what is not known, or not there, is a dash.
    static String value(JsonNode value) {
        if (value.isNull() || value.isMissingNode()) return "—";
        return value.isValueNode() ? value.asText() : JsonTree.write(value);
    }
}
