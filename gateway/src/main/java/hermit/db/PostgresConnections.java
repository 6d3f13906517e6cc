package hermit.db;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import hermit.config.DatabaseSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jooq.Configuration;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jooq.impl.DefaultConfiguration;
import org.jooq.impl.DefaultConnectionProvider;

/// A server that other gateways may use, too. Bounded, so that a hundred gateways do not exhaust it: agents and
/// sandboxes cost no connection until somebody asks for them.
final class PostgresConnections implements Connections {
    private static final int SIZE = 10;
    private static final Duration WAIT_FOR_CONNECTION = Duration.ofSeconds(10);
    /// Shorter than the idle limits that firewalls and poolers usually have.
    private static final Duration KEEP_ALIVE = Duration.ofMinutes(2);
    /// A dead server must not hold a thread for ever. Longer than any statement of ours takes.
    private static final Duration WAIT_FOR_ANSWER = Duration.ofSeconds(30);

    private static final Configuration JOOQ = new DefaultConfiguration().set(SQLDialect.POSTGRES);

    private final HikariDataSource pool;

    private PostgresConnections(HikariDataSource pool) {
        this.pool = pool;
    }

    static PostgresConnections open(DatabaseSettings.Postgresql settings) {
        var config = new HikariConfig();
        config.setPoolName("hermit-postgresql");
        config.setDriverClassName("org.postgresql.Driver");
        config.setJdbcUrl(settings.jdbcUrl());
        config.setUsername(settings.user());
        config.setPassword(settings.password().reveal());
        config.addDataSourceProperty("socketTimeout", Long.toString(WAIT_FOR_ANSWER.toSeconds()));
        config.addDataSourceProperty("tcpKeepAlive", "true");
        // The server's details repeat the values of a row. They belong neither into an answer nor into a log.
        config.addDataSourceProperty("logServerErrorDetail", "false");
        config.setMaximumPoolSize(SIZE);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(WAIT_FOR_CONNECTION.toMillis());
        config.setKeepaliveTime(KEEP_ALIVE.toMillis());
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        try {
            return new PostgresConnections(new HikariDataSource(config));
        } catch (RuntimeException e) {
            throw Failures.translate("connect to " + settings.describe(), e);
        }
    }

    /// For the migrations, which ask for a data source of their own.
    DataSource pool() {
        return pool;
    }

    @Override
    public Session forReading() throws SQLException {
        return new PooledSession(pool.getConnection());
    }

    @Override
    public Session forWriting() throws SQLException {
        Connection connection = pool.getConnection();
        connection.setAutoCommit(false);
        return new PooledSession(connection);
    }

    @Override
    public void close() {
        pool.close();
    }

    /// The driver knows repeated statements by their text, so nothing is kept here.
    private record PooledSession(Connection connection) implements Session {
        @Override
        public DSLContext sql() {
            return DSL.using(JOOQ.derive(new DefaultConnectionProvider(connection)));
        }

        @Override
        public void commit() throws SQLException {
            connection.commit();
        }

        @Override
        public void rollback() throws SQLException {
            connection.rollback();
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }
}
