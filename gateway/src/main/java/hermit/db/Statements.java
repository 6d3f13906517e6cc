package hermit.db;

import java.sql.Connection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jooq.impl.DefaultConfiguration;
import org.jooq.impl.DefaultConnectionProvider;

/// How a connection knows the statements that were prepared on it.
final class Statements {
    private static final String KEPT = "hermit.statements";

    private Statements() {}

    /// A context whose [Repeated] statements stay prepared until the connection is closed. One thread at a time uses
    /// it.
    static DSLContext kept(Connection connection, SQLDialect dialect) {
        var configuration = new DefaultConfiguration().set(dialect).set(new DefaultConnectionProvider(connection));
        configuration.data(KEPT, new HashMap<Repeated<?>, Object>());
        return DSL.using(configuration);
    }

    /// Empty in a context that keeps none.
    @SuppressWarnings("unchecked")
    static Optional<Map<Repeated<?>, Object>> of(DSLContext sql) {
        return Optional.ofNullable(
                (Map<Repeated<?>, Object>) sql.configuration().data(KEPT));
    }
}
