package hermit.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.UUID;

/// Where a download ends up. It is put together beside its place and moved there when it is whole, so that what was
/// there before is replaced at once or not at all.
final class LocalTarget {
    private final Path place;

    LocalTarget(Path place) {
        this.place = place.toAbsolutePath().normalize();
    }

    /// As `cp` does it: into a directory that is there, under the name of what is copied.
    static LocalTarget of(String text, Path place, String name) {
        return new LocalTarget(text.endsWith("/") || Files.isDirectory(place) ? place.resolve(name) : place);
    }

    @Override
    public String toString() {
        return place.toString();
    }

    /// Puts a file there, with the mode that new files have here. Returns how long it is.
    long file(InputStream content) throws IOException {
        // Something like /dev/null is not to be replaced by a file.
        if (Files.exists(place, LinkOption.NOFOLLOW_LINKS)
                && !Files.isRegularFile(place, LinkOption.NOFOLLOW_LINKS)
                && !Files.isSymbolicLink(place)) throw new IOException(place + " is not a file");
        // Not made as a temporary file is, which nobody else may read.
        Path temporary = parent().resolve(".hermit-" + UUID.randomUUID() + ".part");
        try {
            long bytes = Files.copy(content, temporary);
            Files.move(temporary, place, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return bytes;
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /// What makes a tree in an empty directory.
    interface Maker {
        void fill(Path root) throws IOException;
    }

    /// Puts a tree there. Into a directory that is there already it is merged file by file, each of them at once; links
    /// there are replaced and never followed.
    void tree(Maker maker) throws IOException {
        Path temporary = Files.createTempDirectory(parent(), ".hermit-");
        try {
            maker.fill(temporary);
            if (Files.exists(place, LinkOption.NOFOLLOW_LINKS)) merge(temporary);
            else Files.move(temporary, place, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            if (Files.exists(temporary, LinkOption.NOFOLLOW_LINKS)) Settings.deleteTree(temporary);
        }
    }

    private void merge(Path tree) throws IOException {
        Files.walkFileTree(tree, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                Path there = place.resolve(tree.relativize(directory));
                if (!Files.exists(there, LinkOption.NOFOLLOW_LINKS)) Files.createDirectory(there);
                else if (!Files.isDirectory(there, LinkOption.NOFOLLOW_LINKS))
                    throw new IOException(there + " is in the way: it is not a directory");
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Path there = place.resolve(tree.relativize(file));
                if (Files.isDirectory(there, LinkOption.NOFOLLOW_LINKS))
                    throw new IOException(there + " is in the way: it is a directory");
                Files.move(file, there, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private Path parent() throws IOException {
        Path parent = place.getParent();
        if (parent == null || !Files.isDirectory(parent)) throw new IOException("there is no directory " + parent);
        return parent;
    }
}
