package hermit.backend.docker;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.SequencedMap;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/// Archives, which is how the engine takes and gives files.
final class Tar {
    private static final int PROGRAM = 0755;

    private Tar() {}

    /// An executable file that belongs to root.
    static byte[] program(String name, byte[] bytes) {
        var entry = new TarArchiveEntry(name);
        entry.setSize(bytes.length);
        entry.setMode((TarArchiveEntry.DEFAULT_FILE_MODE & ~0777) | PROGRAM);
        return archive(entry, bytes);
    }

    /// A directory with this owner and mode.
    static byte[] directory(String name, ImageUser owner, int mode) {
        var entry = new TarArchiveEntry(name + "/");
        entry.setMode((TarArchiveEntry.DEFAULT_DIR_MODE & ~07777) | mode);
        entry.setUserId(owner.uid());
        entry.setGroupId(owner.gid());
        return archive(entry, new byte[0]);
    }

    /// What the first entry of an archive is.
    sealed interface First {
        /// `bytes` is cut at the limit.
        @SuppressWarnings("ArrayRecordComponent")
        record File(byte[] bytes) implements First {}

        record Link(String target) implements First {}

        record Other() implements First {}
    }

    /// Reads the first entry, at most `limit` bytes of it. Empty if there is none.
    static Optional<First> first(InputStream archive, int limit) throws IOException {
        try (var in = new TarArchiveInputStream(archive)) {
            var entry = in.getNextEntry();
            if (entry == null) return Optional.empty();
            if (entry.isSymbolicLink()) return Optional.of(new First.Link(entry.getLinkName()));
            if (entry.isFile()) return Optional.of(new First.File(in.readNBytes(limit)));
            return Optional.of(new First.Other());
        }
    }

    /// Plain files, in this order.
    static byte[] files(SequencedMap<String, byte[]> files) {
        return archive(tar -> {
            for (var file : files.entrySet()) {
                var entry = new TarArchiveEntry(file.getKey());
                entry.setSize(file.getValue().length);
                put(tar, entry, file.getValue());
            }
        });
    }

    private static byte[] archive(TarArchiveEntry entry, byte[] bytes) {
        return archive(tar -> put(tar, entry, bytes));
    }

    @FunctionalInterface
    private interface Filling {
        void of(TarArchiveOutputStream tar) throws IOException;
    }

    private static byte[] archive(Filling filling) {
        var out = new ByteArrayOutputStream();
        try (var tar = new TarArchiveOutputStream(out)) {
            tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX); // ids above 2 097 151
            filling.of(tar);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory", e);
        }
        return out.toByteArray();
    }

    private static void put(TarArchiveOutputStream tar, TarArchiveEntry entry, byte[] bytes) throws IOException {
        entry.setModTime(0); // the same content is always the same archive
        tar.putArchiveEntry(entry);
        tar.write(bytes);
        tar.closeArchiveEntry();
    }
}
