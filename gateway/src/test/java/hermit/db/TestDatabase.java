package hermit.db;

import hermit.config.DatabaseSettings;
import hermit.config.DatabaseSettings.Postgresql;
import hermit.config.DatabaseSettings.Sqlite;
import hermit.config.Secret;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/// The databases that everything is tested on. PostgreSQL is started once for all tests of a run, and each test gets a
/// fresh database on it.
public enum TestDatabase {
    SQLITE {
        @Override
        public DatabaseSettings fresh(Path directory) {
            return new Sqlite(directory.resolve("hermit.db"));
        }
    },
    POSTGRESQL {
        @Override
        public DatabaseSettings fresh(Path directory) {
            String name = "test_" + Server.DATABASES.incrementAndGet();
            Server.execute("create database " + name);
            return new Postgresql(Server.url(name), Server.USER, new Secret("unused"));
        }
    };

    /// An empty database; the directory is for one that is a file.
    public abstract DatabaseSettings fresh(Path directory);

    /// Goes around the gateway's own code.
    public static void execute(DatabaseSettings settings, String... statements) throws SQLException {
        try (Connection connection = connect(settings);
                Statement statement = connection.createStatement()) {
            for (String each : statements) statement.execute(each);
        }
    }

    public static Connection connect(DatabaseSettings settings) throws SQLException {
        return switch (settings) {
            case Sqlite(Path file) -> DriverManager.getConnection("jdbc:sqlite:" + file);
            case Postgresql postgres -> DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), "unused");
        };
    }

    /// Loaded, and thereby started, by the first test that asks for it; the library stops it when the JVM ends.
    private static final class Server {
        static final String USER = "postgres";
        static final AtomicInteger DATABASES = new AtomicInteger();
        private static final EmbeddedPostgres POSTGRES = start();

        static String url(String database) {
            return "jdbc:postgresql://127.0.0.1:%d/%s".formatted(POSTGRES.getPort(), database);
        }

        static void execute(String statement) {
            try {
                TestDatabase.execute(new Postgresql(url("postgres"), USER, new Secret("unused")), statement);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private static EmbeddedPostgres start() {
            try {
                // Every test's pool keeps a connection; durability is not what these tests are about.
                return EmbeddedPostgres.builder()
                        .setServerConfig("max_connections", "200")
                        .setServerConfig("fsync", "off")
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
