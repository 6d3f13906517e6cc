package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.Set;

/// A command's output on its way to ours: its stdout to stdout and its stderr to stderr, each byte once, and
/// a word on stderr where some are missing. With `--json` the pieces are not shown: the document at the end
/// has them.
final class PassedOutput {
    private final Output output;
    private final Set<String> noticed = new HashSet<>();
    private long stdoutSeen;
    private long stderrSeen;

    /// What lies before these offsets is not expected.
    PassedOutput(Output output, long stdoutFrom, long stderrFrom) {
        this.output = output;
        this.stdoutSeen = stdoutFrom;
        this.stderrSeen = stderrFrom;
    }

    /// Takes one event of the command's stream.
    ///
    /// @throws IOException if our own output cannot be written any more
    void take(String name, JsonNode data) throws IOException {
        switch (name) {
            case "stdout", "stderr" ->
                piece(name.equals("stderr"), data.path("offset").asLong(), bytes(data));
            case "resync" ->
                goOnAt(
                        data.path("stream").asText().equals("stderr"),
                        data.path("offset").asLong());
            // Told again on every connection.
            case "notice" -> {
                var message = data.path("message").asText(data.path("detail").asText(data.toString()));
                if (noticed.add(message)) output.note(message);
            }
            // A newer gateway may say more than we know.
            default -> {}
        }
    }

    /// Passes on what is new in a piece that begins at this offset of its stream.
    void piece(boolean stderr, long offset, byte[] bytes) throws IOException {
        if (output.json()) return;
        if (offset > seen(stderr)) goOnAt(stderr, offset);
        int known = (int) Math.min(bytes.length, seen(stderr) - offset);
        if (known == bytes.length) return;
        output.bytes(stderr, Arrays.copyOfRange(bytes, known, bytes.length));
        setSeen(stderr, offset + bytes.length);
    }

    /// What lies between here and this offset will not come.
    void goOnAt(boolean stderr, long offset) {
        if (output.json() || offset <= seen(stderr)) return;
        output.note("%d bytes of %s are missing here".formatted(offset - seen(stderr), stderr ? "stderr" : "stdout"));
        setSeen(stderr, offset);
    }

    long seen(boolean stderr) {
        return stderr ? stderrSeen : stdoutSeen;
    }

    private void setSeen(boolean stderr, long offset) {
        if (stderr) stderrSeen = offset;
        else stdoutSeen = offset;
    }

    private static byte[] bytes(JsonNode data) {
        var text = data.path("data").asText();
        return data.path("encoding").asText().equals("base64")
                ? Base64.getDecoder().decode(text)
                : text.getBytes(StandardCharsets.UTF_8);
    }
}
