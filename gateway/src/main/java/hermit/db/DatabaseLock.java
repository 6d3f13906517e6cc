package hermit.db;

import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.Conflict;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Held for life by the one gateway that uses an SQLite file. The operating system takes it back when the process
/// dies, however it dies; the file that it is held on stays, because to delete it would let two gateways hold two
/// locks of one name.
final class DatabaseLock implements AutoCloseable {
    private final FileChannel channel;

    private DatabaseLock(FileChannel channel) {
        this.channel = channel;
    }

    /// Takes the lock `<file>.lock`, or says who holds it.
    static DatabaseLock take(Path file) {
        try {
            // Two names that lead to one directory are one lock.
            Path directory = file.resolveSibling(".").toRealPath();
            Path lockFile = directory.resolve(file.getFileName() + ".lock");
            FileChannel channel = FileChannel.open(
                    lockFile,
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            if (tryLock(channel) == null) {
                String holder = Files.readString(lockFile).strip();
                channel.close();
                throw new Conflict("Another gateway%s uses the database %s already"
                        .formatted(holder.isEmpty() ? "" : " (process " + holder + ")", file));
            }
            channel.truncate(0);
            String pid = ProcessHandle.current().pid() + "\n";
            channel.write(ByteBuffer.wrap(pid.getBytes(StandardCharsets.US_ASCII)));
            return new DatabaseLock(channel);
        } catch (IOException e) {
            throw new BackendUnavailable("database: could not lock " + file, e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new BackendUnavailable("database: could not release its lock", e);
        }
    }

    /// Null if somebody holds it: another process, or this one.
    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }
}
