package hermit.db;

import java.sql.Connection;
import java.sql.SQLException;
import org.jooq.SQLDialect;

/// Where connections come from. Both kinds give back what is closed, and wait a bounded time for a free one.
sealed interface Connections extends AutoCloseable permits SqliteConnections, PostgresConnections {
    SQLDialect dialect();

    Connection forReading() throws SQLException;

    /// In a transaction that nobody else writes beside (SQLite) or that sees what is committed (PostgreSQL), once
    /// its first statement has run.
    Connection forWriting() throws SQLException;

    @Override
    void close();
}
