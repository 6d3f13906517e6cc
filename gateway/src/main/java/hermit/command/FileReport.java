package hermit.command;

import hermit.problem.GatewayException.ProviderError;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// What a file operation reports: records, each with a NUL at its end. It never holds the operation back, so that one
/// that is being fed cannot come to a standstill; beyond its limit, records are counted and not kept.
final class FileReport implements FileOutput {
    private final int limit;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private long next;
    private long count;
    private boolean gap;

    /// `limit` in bytes.
    FileReport(int limit) {
        this.limit = limit;
    }

    @Override
    public synchronized void add(long offset, ByteBuffer bytes) {
        gap |= offset != next;
        next = offset + bytes.remaining();
        while (bytes.hasRemaining()) {
            byte each = bytes.get();
            if (each == 0) count++;
            if (kept.size() < limit) kept.write(each);
        }
    }

    @Override
    public void ended() {}

    @Override
    public void close() {}

    /// How many records there were, kept or not.
    synchronized long count() {
        return count;
    }

    /// Those that were kept, in order. Read as ISO-8859-1, so that one char is one byte.
    synchronized List<String> records() {
        if (gap) throw new ProviderError("a part of what the sandbox said was lost on the way");
        String text = kept.toString(StandardCharsets.ISO_8859_1);
        var records = new ArrayList<String>();
        int start = 0;
        for (int end = text.indexOf('\0'); end >= 0; end = text.indexOf('\0', start)) {
            records.add(text.substring(start, end));
            start = end + 1;
        }
        return records;
    }

    /// All of them; throws [ProviderError] if there were more than the limit allows.
    synchronized List<String> all() {
        List<String> records = records();
        if (records.size() < count || next > limit)
            throw new ProviderError("the sandbox said more than a file operation has to say");
        return records;
    }
}
