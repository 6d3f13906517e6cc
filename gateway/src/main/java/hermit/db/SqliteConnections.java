package hermit.db;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import hermit.problem.GatewayException.BackendUnavailable;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteDataSource;

/// One file. SQLite lets one connection write at a time; with exactly one that may, writers queue for it here, in
/// the order in which they come, and no statement ever finds the file busy. Readers see the last commit beside it
/// (WAL).
final class SqliteConnections implements Connections {
    /// Queries are short and the machine is small: more readers would only wait for a processor.
    private static final int READERS = 4;

    private static final Duration WAIT_FOR_CONNECTION = Duration.ofSeconds(10);
    /// Only another program can hold the file, such as a backup.
    private static final Duration WAIT_FOR_FILE = Duration.ofSeconds(5);
    /// The write-ahead log is cut to this size after a checkpoint.
    private static final int LOG_BYTES = 16 << 20;

    private final DatabaseLock lock;
    private final HikariDataSource writer;
    private final HikariDataSource readers;
    /// By connections as they are below the pool, which lends each under ever new covers.
    private final Map<SQLiteConnection, SqliteSession.Prepared> prepared = new ConcurrentHashMap<>();

    private SqliteConnections(DatabaseLock lock, HikariDataSource writer, HikariDataSource readers) {
        this.lock = lock;
        this.writer = writer;
        this.readers = readers;
    }

    static SqliteConnections open(Path file) {
        DatabaseLock lock = DatabaseLock.take(file);
        HikariDataSource writer = null;
        try {
            createReadableByNobodyElse(file);
            SqliteLibrary.keepIn(file.toAbsolutePath().resolveSibling("native"));
            writer = pool("hermit-sqlite-writer", source(file, SQLiteConfig.TransactionMode.IMMEDIATE), 1, "");
            // Comes second: the writer has switched the file to WAL.
            var readers = pool(
                    "hermit-sqlite-readers",
                    source(file, SQLiteConfig.TransactionMode.DEFERRED),
                    READERS,
                    "pragma query_only = on");
            return new SqliteConnections(lock, writer, readers);
        } catch (RuntimeException e) {
            if (writer != null) writer.close();
            lock.close();
            throw Failures.translate("open " + file, e);
        }
    }

    /// For the migrations, which ask for a data source of their own.
    DataSource writer() {
        return writer;
    }

    @Override
    public Session forReading() throws SQLException {
        return take(readers);
    }

    @Override
    public Session forWriting() throws SQLException {
        SqliteSession session = take(writer);
        try {
            session.begin();
            return session;
        } catch (SQLException | RuntimeException e) {
            session.close();
            throw e;
        }
    }

    private SqliteSession take(HikariDataSource pool) throws SQLException {
        Connection lent = pool.getConnection();
        try {
            SQLiteConnection below = lent.unwrap(SQLiteConnection.class);
            SqliteSession.Prepared known = prepared.get(below);
            if (known == null) {
                prepared.keySet().removeIf(SqliteConnections::isClosed);
                known = SqliteSession.Prepared.on(below);
                prepared.put(below, known);
            }
            return new SqliteSession(pool, lent, known);
        } catch (SQLException | RuntimeException e) {
            lent.close();
            throw e;
        }
    }

    private static boolean isClosed(SQLiteConnection connection) {
        try {
            return connection.isClosed();
        } catch (SQLException e) {
            return true; // it is of no use in any case
        }
    }

    @Override
    public void close() {
        readers.close();
        writer.close();
        lock.close();
    }

    private static HikariDataSource pool(String name, SQLiteDataSource source, int size, String firstStatement) {
        var config = new HikariConfig();
        config.setPoolName(name);
        config.setDataSource(source);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(WAIT_FOR_CONNECTION.toMillis());
        // A connection to a file does not age.
        config.setMaxLifetime(0);
        if (!firstStatement.isEmpty()) config.setConnectionInitSql(firstStatement);
        return new HikariDataSource(config);
    }

    private static SQLiteDataSource source(Path file, SQLiteConfig.TransactionMode mode) {
        var config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        // Survives the death of the process; of a power cut, all but the last moments.
        config.setSynchronous(SQLiteConfig.SynchronousMode.NORMAL);
        config.setJournalSizeLimit(LOG_BYTES);
        config.setBusyTimeout(Math.toIntExact(WAIT_FOR_FILE.toMillis()));
        config.enforceForeignKeys(true);
        config.setTransactionMode(mode);
        var source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + file);
        return source;
    }

    /// SQLite gives the files beside it (`-wal`, `-shm`) the mode of this one.
    private static void createReadableByNobodyElse(Path file) {
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } catch (FileAlreadyExistsException e) {
            // The file of an earlier run keeps the mode that the operator may have given it.
        } catch (IOException e) {
            throw new BackendUnavailable("database: could not create " + file, e);
        }
    }
}
