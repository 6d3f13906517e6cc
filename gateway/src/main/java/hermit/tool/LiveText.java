package hermit.tool;

import hermit.command.Utf8;
import hermit.session.Redaction;
import java.util.Arrays;
import java.util.Optional;

/// One stream of a command as text, piece by piece. What may be the beginning of a character or of a secret waits for
/// the rest of it.
final class LiveText {
    private final Redaction redaction;
    private byte[] unfinished = new byte[0];
    private String open = "";

    LiveText(Redaction redaction) {
        this.redaction = redaction;
    }

    /// Empty if all of it waits.
    Optional<String> next(byte[] bytes) {
        byte[] all = Arrays.copyOf(unfinished, unfinished.length + bytes.length);
        System.arraycopy(bytes, 0, all, unfinished.length, bytes.length);
        int whole = all.length - Utf8.unfinished(all);
        unfinished = Arrays.copyOfRange(all, whole, all.length);
        String text = redaction.text(open + Utf8.decode(all, whole));
        int end = text.length() - redaction.open(text);
        open = text.substring(end);
        return end == 0 ? Optional.empty() : Optional.of(text.substring(0, end));
    }

    /// What still waits when nothing more comes: it was no secret.
    String rest() {
        return open;
    }
}
