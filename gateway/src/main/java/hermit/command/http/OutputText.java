package hermit.command.http;

import hermit.api.ExecOutput;
import hermit.command.ExecRequest.Encoding;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/// One stream on its way to a reader, piece by piece. As text, bytes of a character that is not complete yet are held
/// back, and [#delivered] does not count them: a reader that comes back from there gets the whole character.
final class OutputText {
    private final Encoding encoding;
    private long delivered;
    private byte[] held = new byte[0];

    OutputText(Encoding encoding, long from) {
        this.encoding = encoding;
        this.delivered = from;
    }

    /// The next piece; empty if it only holds the beginning of a character.
    Optional<ExecOutput> next(byte[] bytes) {
        byte[] all = join(held, bytes);
        int later = encoding == Encoding.UTF8 ? Utf8.unfinished(all) : 0;
        held = Arrays.copyOfRange(all, all.length - later, all.length);
        return deliver(all, all.length - later);
    }

    /// What was held back, once nothing follows that could complete it.
    Optional<ExecOutput> rest() {
        byte[] last = held;
        held = new byte[0];
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

    private Optional<ExecOutput> deliver(byte[] bytes, int length) {
        if (length == 0) return Optional.empty();
        long offset = delivered;
        delivered += length;
        String data =
                switch (encoding) {
                    case UTF8 -> Utf8.decode(bytes, length);
                    case BASE64 -> Base64.getEncoder().encodeToString(Arrays.copyOf(bytes, length));
                };
        return Optional.of(new ExecOutput(data, encoding.toString(), offset));
    }

    private static byte[] join(byte[] first, byte[] second) {
        if (first.length == 0) return second;
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
