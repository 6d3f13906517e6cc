package hermit.command;

import hermit.problem.GatewayException.ProviderError;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;

/// Bytes on their way out of a sandbox: a whole number of them, or an exception. Closing it early ends the operation
/// there. Used by one thread.
public final class FileDownload implements AutoCloseable {
    private final String path;
    private final FileRun run;
    private final FilePieces pieces;
    private final OptionalLong length;
    private byte[] first;
    private long taken;

    private FileDownload(String path, FileRun run, FilePieces pieces, byte[] first, OptionalLong length) {
        this.path = path;
        this.run = run;
        this.pieces = pieces;
        this.first = first;
        this.length = length;
    }

    /// Begins with bytes that have been taken already. `length` is how many there are to be, where that is known.
    static FileDownload of(String path, FileRun run, FilePieces pieces, byte[] first, OptionalLong length) {
        return new FileDownload(path, run, pieces, first, length);
    }

    /// A stream of unknown length. Waits for its first bytes, so that what keeps it from beginning is thrown here.
    static FileDownload begun(String path, FileRun run, FilePieces pieces) throws InterruptedException {
        var download = new FileDownload(path, run, pieces, new byte[0], OptionalLong.empty());
        download.first = download.take().orElse(new byte[0]);
        return download;
    }

    /// What it is called in its directory.
    public String name() {
        return FilePaths.name(path);
    }

    /// How many bytes there are to be in all; empty if only the sandbox knows.
    public OptionalLong length() {
        return length;
    }

    /// The next bytes; empty at the end of the whole. Throws [hermit.problem.GatewayException] if the rest cannot be
    /// had, or is not as long as it was to be: what was taken is then not the whole.
    public Optional<byte[]> next() throws InterruptedException {
        if (length.isPresent() && taken == length.getAsLong()) return Optional.empty();
        Optional<byte[]> next = first.length > 0 ? Optional.of(first) : take();
        first = new byte[0];
        if (next.isEmpty()) {
            if (length.isPresent())
                throw new ProviderError(
                        "file operation on %s: the file became shorter while it was read".formatted(path));
            return next;
        }
        return next.map(this::counted);
    }

    /// A file that grows while it is read is as long as it was at the beginning.
    private byte[] counted(byte[] bytes) {
        long left = length.orElse(Long.MAX_VALUE) - taken;
        byte[] counted = bytes.length <= left ? bytes : Arrays.copyOf(bytes, (int) left);
        taken += counted.length;
        return counted;
    }

    private Optional<byte[]> take() throws InterruptedException {
        Optional<byte[]> piece = pieces.take();
        if (piece.isPresent()) return piece;
        if (pieces.hasGap())
            throw new ProviderError("file operation on %s: bytes were lost on the way".formatted(path));
        run.awaitSuccess();
        return piece;
    }

    @Override
    public void close() {
        run.close();
    }
}
