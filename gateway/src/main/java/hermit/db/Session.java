package hermit.db;

import java.sql.Connection;
import java.sql.SQLException;
import org.jooq.DSLContext;

/// A connection that is lent to one caller, who gives it back by closing this.
interface Session extends AutoCloseable {
    DSLContext sql();

    Connection connection();

    /// Ends the transaction of a session for writing.
    void commit() throws SQLException;

    void rollback() throws SQLException;

    @Override
    void close() throws SQLException;
}
