package hermit.command;

import hermit.command.FileContent.Bytes;
import hermit.command.FileContent.NoSuchRange;
import hermit.problem.GatewayException.ProviderError;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;

/// Makes a [FileContent] of the stdout of the keeper's `read`: the file's record, then the bytes.
final class FileReading {
    /// A path and a link's target, each byte escaped to four.
    private static final int LONGEST_RECORD = 64 << 10;

    private FileReading() {}

    /// Waits for the record, so that what keeps the file from being read is thrown here.
    static FileContent begin(String path, FileRange range, FileRun run, FilePieces pieces) throws InterruptedException {
        var begin = new ByteArrayOutputStream();
        while (true) {
            Optional<byte[]> piece = pieces.take();
            if (piece.isEmpty()) {
                run.awaitSuccess();
                throw new ProviderError("file operation on %s: the sandbox sent no file".formatted(path));
            }
            int end = indexOfNul(piece.get());
            begin.write(piece.get(), 0, end < 0 ? piece.get().length : end);
            if (end >= 0) {
                FileInfo info = FileInfo.of(path, begin.toString(StandardCharsets.ISO_8859_1));
                byte[] rest = Arrays.copyOfRange(piece.get(), end + 1, piece.get().length);
                return of(info, range, run, pieces, rest);
            }
            if (begin.size() > LONGEST_RECORD)
                throw new ProviderError("file operation on %s: the sandbox sent no file".formatted(path));
        }
    }

    private static FileContent of(FileInfo info, FileRange range, FileRun run, FilePieces pieces, byte[] rest)
            throws InterruptedException {
        long offset = range.start(info.size());
        if (range instanceof FileRange.All && info.size() == 0) return unsized(info, run, pieces, rest);
        if (!(range instanceof FileRange.All) && offset >= info.size()) {
            run.close();
            return new NoSuchRange(info);
        }
        var length = OptionalLong.of(range.length(info.size()));
        return new Bytes(info, offset, FileDownload.of(info.path(), run, pieces, rest, length));
    }

    /// Files of `/proc` are said to be empty and are not.
    private static FileContent unsized(FileInfo info, FileRun run, FilePieces pieces, byte[] rest)
            throws InterruptedException {
        byte[] first = rest;
        if (first.length == 0) {
            Optional<byte[]> piece = pieces.take();
            if (piece.isEmpty()) run.awaitSuccess();
            first = piece.orElse(rest);
        }
        var length = first.length == 0 ? OptionalLong.of(0) : OptionalLong.empty();
        return new Bytes(info, 0, FileDownload.of(info.path(), run, pieces, first, length));
    }

    private static int indexOfNul(byte[] bytes) {
        for (int i = 0; i < bytes.length; i++) if (bytes[i] == 0) return i;
        return -1;
    }
}
