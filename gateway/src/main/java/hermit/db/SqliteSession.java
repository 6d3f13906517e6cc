package hermit.db;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;

/// A connection to the file while it is lent.
final class SqliteSession implements Session {
    private final HikariDataSource pool;
    private final Connection lent;
    private final Prepared prepared;

    /// What stays with a connection for as long as the pool keeps it.
    ///
    /// The driver's own transactions are not used: it begins the next one with the end of each, and prepares every
    /// `begin` and `commit` anew.
    record Prepared(DSLContext sql, PreparedStatement begin, PreparedStatement commit, PreparedStatement rollback) {
        static Prepared on(Connection connection) throws SQLException {
            return new Prepared(
                    Statements.kept(connection, SQLDialect.SQLITE),
                    connection.prepareStatement("begin immediate"),
                    connection.prepareStatement("commit"),
                    connection.prepareStatement("rollback"));
        }
    }

    SqliteSession(HikariDataSource pool, Connection lent, Prepared prepared) {
        this.pool = pool;
        this.lent = lent;
        this.prepared = prepared;
    }

    /// From here on nobody else writes.
    void begin() throws SQLException {
        prepared.begin.execute();
    }

    @Override
    public DSLContext sql() {
        return prepared.sql;
    }

    @Override
    public Connection connection() {
        return lent;
    }

    @Override
    public void commit() throws SQLException {
        prepared.commit.execute();
    }

    @Override
    public void rollback() throws SQLException {
        try {
            prepared.rollback.execute();
        } catch (SQLException e) {
            // A full disk, for one, ends the transaction by itself, and then there is none to roll back. In doubt
            // the connection is not used again.
            pool.evictConnection(lent);
            throw e;
        }
    }

    @Override
    public void close() throws SQLException {
        lent.close();
    }
}
