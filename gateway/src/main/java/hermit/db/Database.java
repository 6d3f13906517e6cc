package hermit.db;

import hermit.config.DatabaseSettings;
import hermit.problem.GatewayException.Conflict;
import java.sql.SQLException;
import java.util.function.Function;
import org.jooq.DSLContext;

/// The gateway's database. `sql` rooms hand in what to do:
///
/// ```java
/// database.read("list the agents", sql -> sql.selectFrom(AGENTS).fetch());
/// ```
///
/// Both doors throw [BackendUnavailable] if the database cannot be reached or is out of order. The attempt's name
/// completes "could not …" and may be shown to a caller, so it holds no value.
public final class Database implements AutoCloseable {
    /// The oldest release that the tests and the documentation speak of.
    private static final int OLDEST_POSTGRESQL = 15;

    private final Connections connections;

    private Database(Connections connections) {
        this.connections = connections;
    }

    /// Connects and brings the schema up to date.
    public static Database open(DatabaseSettings settings) {
        System.setProperty("org.jooq.no-logo", "true");
        System.setProperty("org.jooq.no-tips", "true");
        Connections connections = switch (settings) {
            case DatabaseSettings.Sqlite sqlite -> SqliteConnections.open(sqlite.file());
            case DatabaseSettings.Postgresql postgresql -> PostgresConnections.open(postgresql);
        };
        try {
            refuseOldServer(connections);
            Schema.of(connections).bringUpToDate();
            return new Database(connections);
        } catch (SQLException | RuntimeException e) {
            connections.close();
            throw Failures.translate("prepare the schema", e);
        }
    }

    /// Statements that change nothing. Each sees what was committed when it started.
    public <T> T read(String attempt, Function<DSLContext, T> work) {
        try (Session session = connections.forReading()) {
            return work.apply(session.sql());
        } catch (SQLException | RuntimeException e) {
            throw Failures.translate(attempt, e);
        }
    }

    /// One transaction: all of it or, if `work` throws, nothing. Keep it short and ask nobody else meanwhile: on
    /// SQLite every other writer waits for it.
    public <T> T write(String attempt, Function<DSLContext, T> work) {
        try (Session session = connections.forWriting()) {
            try {
                T result = work.apply(session.sql());
                session.commit();
                return result;
            } catch (SQLException | RuntimeException | Error e) {
                rollBack(session, e);
                throw e;
            }
        } catch (SQLException | RuntimeException e) {
            throw Failures.translate(attempt, e);
        }
    }

    /// Asks the database something small.
    public Health health() {
        try (Session session = connections.forReading();
                var statement = session.connection().createStatement();
                var _ = statement.executeQuery("select 1")) {
            var meta = session.connection().getMetaData();
            return new Health(true, meta.getDatabaseProductName() + " " + meta.getDatabaseProductVersion());
        } catch (SQLException e) {
            return new Health(
                    false, String.valueOf(Failures.translate("answer", e).getMessage()));
        }
    }

    @Override
    public void close() {
        connections.close();
    }

    /// `detail` is the product and its version, or why it does not work.
    public record Health(boolean up, String detail) {}

    private static void rollBack(Session session, Throwable reason) {
        try {
            session.rollback();
        } catch (SQLException e) {
            reason.addSuppressed(e);
        }
    }

    private static void refuseOldServer(Connections connections) throws SQLException {
        if (!(connections instanceof PostgresConnections)) return;
        try (Session session = connections.forReading()) {
            var meta = session.connection().getMetaData();
            if (meta.getDatabaseMajorVersion() < OLDEST_POSTGRESQL)
                throw new Conflict("PostgreSQL %s is too old: at least %d is needed"
                        .formatted(meta.getDatabaseProductVersion(), OLDEST_POSTGRESQL));
        }
    }
}
