package hermit.mcp.http;

import hermit.command.Utf8;
import java.util.Arrays;
import java.util.Optional;

/// One stream of a command as text, piece by piece: the beginning of a character waits for the rest of it.
final class LiveText {
    private byte[] held = new byte[0];

    /// Empty if there is only the beginning of a character.
    Optional<String> next(byte[] bytes) {
        byte[] all = Arrays.copyOf(held, held.length + bytes.length);
        System.arraycopy(bytes, 0, all, held.length, bytes.length);
        int whole = all.length - Utf8.unfinished(all);
        held = Arrays.copyOfRange(all, whole, all.length);
        return whole == 0 ? Optional.empty() : Optional.of(Utf8.decode(all, whole));
    }
}
