package hermit.command.http;

import hermit.command.ExecRequest.Encoding;
import hermit.command.Utf8;
import java.util.Arrays;
import java.util.Optional;

/// One stream on its way to a reader, piece by piece. As text, bytes of a character that is not complete yet
/// are held back, and [#delivered] does not count them: a reader that comes back from there gets the whole
/// character.
final class OutputText {
    private static final byte[] NONE = new byte[0];

    private final Encoding encoding;
    private long delivered;
    private byte[] held = NONE;

    OutputText(Encoding encoding, long from) {
        this.encoding = encoding;
        this.delivered = from;
    }

    /// The next piece; empty if it only holds the beginning of a character.
    Optional<OutputPiece> next(byte[] bytes) {
        byte[] all = join(held, bytes);
        int later = encoding == Encoding.UTF8 ? Utf8.unfinished(all) : 0;
        held = later == 0 ? NONE : Arrays.copyOfRange(all, all.length - later, all.length);
        return deliver(all, all.length - later);
    }

    /// What was held back, once nothing follows that could complete it.
    Optional<OutputPiece> rest() {
        byte[] last = held;
        held = NONE;
        return deliver(last, last.length);
    }

    /// Goes on at `offset`: what lies before it is lost.
    void skipTo(long offset) {
        delivered = offset;
    }

    /// How far the stream has been delivered, in bytes.
    long delivered() {
        return delivered;
    }

    private Optional<OutputPiece> deliver(byte[] bytes, int length) {
        if (length == 0) return Optional.empty();
        long offset = delivered;
        delivered += length;
        return Optional.of(new OutputPiece(bytes, length, encoding, offset));
    }

    private static byte[] join(byte[] first, byte[] second) {
        if (first.length == 0) return second;
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
