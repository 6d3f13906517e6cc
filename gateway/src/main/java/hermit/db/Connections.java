package hermit.db;

import java.sql.SQLException;

/// Where connections come from. Both kinds give back what is closed, and wait a bounded time for a free one.
sealed interface Connections extends AutoCloseable permits SqliteConnections, PostgresConnections {
    Session forReading() throws SQLException;

    /// In a transaction that nobody else writes beside (SQLite) or that sees what is committed (PostgreSQL), once
    /// its first statement has run.
    Session forWriting() throws SQLException;

    @Override
    void close();
}
