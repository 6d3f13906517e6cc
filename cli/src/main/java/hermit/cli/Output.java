package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.JsonTree;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/// Where results and messages go. Results go to stdout: text for a person, or with `--json` exactly one JSON
/// document. Messages go to stderr.
final class Output {
    private final OutputStream out;
    private final OutputStream err;
    private final boolean colours;
    private boolean json;
    private boolean lines;

    Output(Surroundings surroundings) {
        this.out = surroundings.out();
        this.err = surroundings.err();
        this.colours = surroundings.outIsTerminal()
                && surroundings.variable("NO_COLOR").isEmpty()
                && !"dumb".equals(surroundings.env().get("TERM"));
    }

    /// From now on results and problems are JSON documents.
    void useJson() {
        json = true;
    }

    /// From now on each document is one line: there will be any number of them, and a problem is the last.
    void useLines() {
        lines = true;
    }

    /// From now on stdout carries a protocol, and only messages are printed.
    void useMessagesOnly() {
        json = false;
    }

    boolean json() {
        return json;
    }

    boolean colours() {
        return colours;
    }

    /// The result of a command, in the form that was asked for.
    void result(JsonNode document, String text) {
        if (json) document(document);
        else text(text);
    }

    /// A result that is a text by its nature. With `--json` it becomes the one field of a document.
    void text(String field, String text) {
        result(JsonTree.object().put(field, text), text);
    }

    void document(JsonNode document) {
        // Some answers have no body. A document is promised all the same.
        JsonNode shown = document.isMissingNode() ? JsonTree.object() : document;
        text(lines ? JsonTree.write(shown) : JsonTree.pretty(shown));
    }

    private void text(String text) {
        write(out, text.isEmpty() || text.endsWith("\n") ? text : text + "\n");
    }

    /// A message for a person.
    void note(String message) {
        write(err, "hermit: " + printable(message) + "\n");
    }

    /// A message in the midst of what a raw terminal shows: it begins a line of its own, in no colour.
    void aside(String message) {
        write(err, "\r\n\033[0mhermit: " + printable(message).replace("\n", "\r\n") + "\r\n");
    }

    /// A terminal's way to say no.
    void bell() {
        write(err, "\007");
    }

    /// A line that will be overwritten, on a terminal.
    void status(String line) {
        write(err, line);
    }

    /// What went wrong: the document where JSON was asked for, and a line on stderr in any case.
    void problem(JsonNode document, String detail) {
        if (json) document(document);
        note(detail);
    }

    /// Bytes of a command, as they are.
    void bytes(boolean toStderr, byte[] bytes) throws IOException {
        var stream = toStderr ? err : out;
        stream.write(bytes);
        stream.flush();
    }

    /// Text that came from elsewhere, fit for a terminal: characters with which it could move the cursor,
    /// change the title, or turn the direction of what stands beside it, are shown as escapes.
    static String printable(String text) {
        var safe = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isISOControl(c) && c != '\n' && c != '\t') safe.append("\\x%02x".formatted((int) c));
            else if (turns(c)) safe.append("\\u%04x".formatted((int) c));
            else safe.append(c);
        }
        return safe.toString();
    }

    /// Unicode's bidirectional controls, and its two separators of lines.
    private static boolean turns(char c) {
        return switch (c) {
            case 0x061C, 0x200E, 0x200F -> true;
            default -> (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
        };
    }

    private static void write(OutputStream stream, String text) {
        try {
            stream.write(text.getBytes(StandardCharsets.UTF_8));
            stream.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
