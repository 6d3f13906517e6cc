package hermit.db;

import hermit.config.DatabaseSettings;
import hermit.config.DatabaseSettings.Postgresql;
import hermit.config.DatabaseSettings.Sqlite;
import hermit.config.Secret;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/// The databases that everything is tested on. PostgreSQL is started once for all tests of a run, and each test
/// gets a fresh database on it.
public enum TestDatabase {
    SQLITE {
        @Override
        public DatabaseSettings fresh(Path directory) {
            return new Sqlite(directory.resolve("hermit.db"));
        }

        @Override
        public DatabaseSettings migrated(Path directory) {
            var settings = new Sqlite(directory.resolve("hermit.db"));
            try {
                Files.write(settings.file(), MigratedFile.BYTES);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return settings;
        }
    },
    POSTGRESQL {
        @Override
        public DatabaseSettings fresh(Path directory) {
            return Server.create("");
        }

        @Override
        public DatabaseSettings migrated(Path directory) {
            return Server.create(" template " + MigratedTemplate.NAME);
        }
    };

    /// An empty database; the directory is for one that is a file.
    public abstract DatabaseSettings fresh(Path directory);

    /// A database with the newest schema and no rows: a copy, which is quicker than to migrate each time.
    public abstract DatabaseSettings migrated(Path directory);

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

    private static final class MigratedFile {
        static final byte[] BYTES = read();

        private static byte[] read() {
            try {
                Path directory = Files.createTempDirectory("hermit-migrated");
                var settings = new Sqlite(directory.resolve("hermit.db"));
                Database.open(settings).close();
                return Files.readAllBytes(settings.file());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static final class MigratedTemplate {
        static final String NAME = make();

        private static String make() {
            Postgresql settings = Server.create("");
            Database.open(settings).close();
            return settings.jdbcUrl().substring(settings.jdbcUrl().lastIndexOf('/') + 1);
        }
    }

    /// Loaded, and thereby started, by the first test that asks for it; the library stops it when the JVM ends.
    private static final class Server {
        private static final String USER = "postgres";
        private static final AtomicInteger DATABASES = new AtomicInteger();
        private static final EmbeddedPostgres POSTGRES = start();

        static Postgresql create(String options) {
            String name = "test_" + DATABASES.incrementAndGet();
            try {
                TestDatabase.execute(settings("postgres"), "create database " + name + options);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            return settings(name);
        }

        private static Postgresql settings(String database) {
            return new Postgresql(url(database), USER, new Secret("unused"));
        }

        private static String url(String database) {
            return "jdbc:postgresql://127.0.0.1:%d/%s".formatted(POSTGRES.getPort(), database);
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
