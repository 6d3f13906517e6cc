package hermit.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/// A file with a token in it, which nobody but its owner may read or change.
///
/// - `renewal`: what one does if others may have read it.
record SecretFile(Path path, String renewal) {
    private static final Set<PosixFilePermission> OTHERS = EnumSet.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.GROUP_EXECUTE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE,
            PosixFilePermission.OTHERS_EXECUTE);

    /// Empty where there is none. A file that others may read or change is refused, because then it is no
    /// secret.
    Optional<String> read() throws CliFailure {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) return Optional.empty();
        try {
            var permissions = EnumSet.noneOf(PosixFilePermission.class);
            permissions.addAll(Files.getPosixFilePermissions(path));
            permissions.retainAll(OTHERS);
            if (!permissions.isEmpty())
                throw CliFailure.local(
                        "token_exposed",
                        "The token file %s can be read or changed by others: chmod 600 it, and if others may have read it, %s"
                                .formatted(path, renewal));
            return Optional.of(Files.readString(path).strip()).filter(token -> !token.isEmpty());
        } catch (IOException e) {
            throw CliFailure.local("token_unreadable", "read the token file %s: %s".formatted(path, e.getMessage()));
        }
    }

    /// Puts it there in one step, readable by nobody else at any moment, whatever the umask is.
    void write(String token) throws CliFailure {
        Path folder = path.resolveSibling("");
        try {
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Path fresh = Files.createTempFile(
                    folder,
                    ".token-",
                    "",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            try {
                fill(fresh, token + "\n");
                Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(fresh);
            }
        } catch (IOException e) {
            throw CliFailure.local("token_unwritable", "write the token file %s: %s".formatted(path, e.getMessage()));
        }
    }

    private static void fill(Path file, String text) throws IOException {
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) channel.write(bytes);
            channel.force(true);
        }
    }

    /// Whether there was one.
    boolean remove() throws CliFailure {
        try {
            return Files.deleteIfExists(path);
        } catch (IOException e) {
            throw CliFailure.local("token_unwritable", "remove the token file %s: %s".formatted(path, e.getMessage()));
        }
    }
}
