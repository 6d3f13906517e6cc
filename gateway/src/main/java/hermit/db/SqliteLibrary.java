package hermit.db;

import hermit.problem.GatewayException.BackendUnavailable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;

/// SQLite itself, as a native library beside the database. Left alone, the driver unpacks it anew at each start
/// into the directory for temporary files, compares it byte by byte, and leaves it there when the process is
/// killed: a tenth of a second of processor time at every start, and a megabyte for every crash. If the file here
/// cannot be loaded (its file system may forbid it), the driver goes back to that by itself.
final class SqliteLibrary {
    private static final String DIRECTORY = "org.sqlite.lib.path";
    private static final String FILE = "org.sqlite.lib.name";

    private SqliteLibrary() {}

    /// To be called before the driver is used for the first time; it loads the library once for each process.
    static void keepIn(Path directory) {
        if (System.getProperty(DIRECTORY) != null) return;
        String name = LibraryLoaderUtil.getNativeLibName();
        Path home = directory.resolve("sqlite-" + SQLiteJDBCLoader.getVersion());
        try {
            Files.createDirectories(home);
            // Which of the driver's libraries is this platform's, the driver finds out with a process of its own.
            if (!Files.exists(home.resolve(name)))
                unpack(LibraryLoaderUtil.getNativeLibResourcePath() + "/" + name, home.resolve(name));
        } catch (IOException e) {
            throw new BackendUnavailable("database: could not unpack its library to " + home, e);
        }
        System.setProperty(DIRECTORY, home.toString());
        System.setProperty(FILE, name);
    }

    /// Whole or not at all: a start that is cut short must not leave half a library for the next one.
    private static void unpack(String resource, Path library) throws IOException {
        Path draft = Files.createTempFile(library.resolveSibling("."), ".library", ".new");
        try (InputStream bytes = SqliteLibrary.class.getResourceAsStream(resource);
                OutputStream out = Files.newOutputStream(draft)) {
            if (bytes == null) return; // a platform that the driver brings no library for: it says so itself
            bytes.transferTo(out);
            Files.move(draft, library, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(draft);
        }
    }
}
