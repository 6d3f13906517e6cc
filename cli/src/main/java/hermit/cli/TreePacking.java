package hermit.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/// Packs what is in a local directory as tar, with names relative to it. Links are packed as links and never followed.
final class TreePacking {
    private final Path root;
    private final TransferProgress progress;
    private final Output output;
    private long files;

    TreePacking(Path root, TransferProgress progress, Output output) {
        this.root = root;
        this.progress = progress;
        this.output = output;
    }

    /// How many files were packed, links included.
    long files() {
        return files;
    }

    void writeTo(OutputStream out) throws IOException {
        // Not closed when it fails: an archive that ends properly would look whole.
        var tar = new TarArchiveOutputStream(out, StandardCharsets.UTF_8.name());
        tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
        tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
        tar.setAddPaxHeadersForNonAsciiNames(true);
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                if (!directory.equals(root)) directory(tar, directory, attributes);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (attributes.isSymbolicLink()) link(tar, file, attributes);
                else if (attributes.isRegularFile()) file(tar, file, attributes);
                else output.note("%s is neither file nor directory and is left out".formatted(file));
                return FileVisitResult.CONTINUE;
            }
        });
        tar.finish();
        out.flush();
    }

    private void directory(TarArchiveOutputStream tar, Path directory, BasicFileAttributes attributes)
            throws IOException {
        var entry = entry(directory, name(directory) + "/", attributes);
        tar.putArchiveEntry(entry);
        tar.closeArchiveEntry();
    }

    private void link(TarArchiveOutputStream tar, Path link, BasicFileAttributes attributes) throws IOException {
        var entry = new TarArchiveEntry(name(link), TarConstants.LF_SYMLINK);
        entry.setLinkName(Files.readSymbolicLink(link).toString());
        entry.setModTime(attributes.lastModifiedTime());
        tar.putArchiveEntry(entry);
        tar.closeArchiveEntry();
        files++;
    }

    private void file(TarArchiveOutputStream tar, Path file, BasicFileAttributes attributes) throws IOException {
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            var entry = entry(file, name(file), attributes);
            entry.setSize(attributes.size());
            tar.putArchiveEntry(entry);
            Exactly.transfer(progress.counting(in), tar, attributes.size(), file);
            tar.closeArchiveEntry();
            files++;
        }
    }

    private static TarArchiveEntry entry(Path file, String name, BasicFileAttributes attributes) throws IOException {
        var entry = new TarArchiveEntry(name);
        entry.setMode(mode(Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS)));
        entry.setModTime(attributes.lastModifiedTime());
        return entry;
    }

    private String name(Path file) {
        return root.relativize(file).toString();
    }

    /// `rwxr-x---` is 0750. Set-id bits are not among them: a sandbox would refuse those files.
    private static int mode(Set<PosixFilePermission> permissions) {
        int mode = 0;
        for (char each : PosixFilePermissions.toString(permissions).toCharArray())
            mode = mode << 1 | (each == '-' ? 0 : 1);
        return mode;
    }
}
