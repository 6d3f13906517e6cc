package hermit.db;

import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.ResultQuery;
import org.jooq.SQLDialect;
import org.jooq.SelectForUpdateStep;

/// Locks rows until the transaction ends, so that what was read of them is still true when it is acted on.
public final class RowLock {
    private RowLock() {}

    /// SQLite knows no such locks and needs none: it has one writer at a time.
    public static <R extends Record> ResultQuery<R> on(DSLContext sql, SelectForUpdateStep<R> rows) {
        return sql.dialect().family() == SQLDialect.SQLITE ? rows : rows.forUpdate();
    }
}
