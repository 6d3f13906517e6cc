package hermit.backend.docker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;

/// Removes directory trees that strangers may be changing meanwhile: every step is taken from an open directory, and no
/// link is followed, so that nothing outside is ever touched.
final class Trees {
    /// Deeper than any real tree; it bounds the descriptors and the stack.
    private static final int DEEPEST = 512;

    private Trees() {}

    static void remove(Path directory) throws IOException {
        Path parent = directory.toAbsolutePath().getParent();
        try (var stream = Files.newDirectoryStream(parent)) {
            if (!(stream instanceof SecureDirectoryStream<Path> secure))
                throw new IOException("this platform cannot remove %s without following links".formatted(directory));
            removeDirectory(secure, directory.getFileName(), 0);
        }
    }

    private static void removeDirectory(SecureDirectoryStream<Path> parent, Path name, int depth) throws IOException {
        if (depth > DEEPEST) throw new IOException("more than %d levels of directories".formatted(DEEPEST));
        try (var entries = parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
            for (Path entry : entries) removeEntry(entries, entry.getFileName(), depth + 1);
        }
        parent.deleteDirectory(name);
    }

    private static void removeEntry(SecureDirectoryStream<Path> directory, Path name, int depth) throws IOException {
        try {
            boolean isDirectory = directory
                    .getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .readAttributes()
                    .isDirectory();
            if (isDirectory) removeDirectory(directory, name, depth);
            else directory.deleteFile(name);
        } catch (NoSuchFileException _) {
            // Somebody else removed it.
        }
    }
}
