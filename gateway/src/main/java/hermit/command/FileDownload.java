package hermit.command;

import hermit.problem.GatewayException.ProviderError;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/// Bytes on their way out of a sandbox. Closing it early ends the operation there.
public final class FileDownload implements AutoCloseable {
    private static final int LONGEST_RECORD = 64 << 10;

    private final FileRun run;
    private byte[] rest;

    private FileDownload(FileRun run, byte[] rest) {
        this.run = run;
        this.rest = rest;
    }

    /// A plain stream.
    static FileDownload of(FileRun run) throws InterruptedException {
        return new FileDownload(run, run.take().orElse(new byte[0]));
    }

    /// A stream that begins with the file's record.
    static File file(FileRun run) throws InterruptedException {
        var begin = new ByteArrayOutputStream();
        while (true) {
            byte[] piece = run.take().orElseThrow(() -> new ProviderError("the sandbox sent no file"));
            for (int i = 0; i < piece.length; i++) {
                if (piece[i] != 0) {
                    begin.write(piece[i]);
                    continue;
                }
                FileInfo info = FileInfo.parse(begin.toString(StandardCharsets.ISO_8859_1));
                return new File(info, new FileDownload(run, Arrays.copyOfRange(piece, i + 1, piece.length)));
            }
            if (begin.size() > LONGEST_RECORD) throw new ProviderError("the sandbox sent no file");
        }
    }

    /// A file with what is known of it.
    public record File(FileInfo info, FileDownload content) {}

    /// The next bytes; empty at the end. Throws if the rest cannot be had: what was taken is then not the whole.
    public Optional<byte[]> next() throws InterruptedException {
        if (rest.length > 0) {
            byte[] now = rest;
            rest = new byte[0];
            return Optional.of(now);
        }
        return run.take();
    }

    @Override
    public void close() {
        run.close();
    }
}
