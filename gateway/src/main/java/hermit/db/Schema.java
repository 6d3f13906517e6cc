package hermit.db;

import hermit.problem.GatewayException.Conflict;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.zip.CRC32;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/// Brings the schema to what this version of the gateway knows. Flyway does the work and keeps the record; but
/// loading Flyway takes longer than the whole rest of an ordinary start, so its record is looked at first, and
/// Flyway is only called when there is something to do.
final class Schema {
    /// Every migration, oldest first. Each has a file of this name for SQLite and one for PostgreSQL.
    static final List<String> MIGRATIONS = List.of(
            "V001__agents_and_sandboxes.sql",
            "V002__terminals.sql",
            "V003__people.sql",
            "V004__sessions_and_approvals.sql",
            "V005__audit.sql",
            "V006__cancelled_commands.sql",
            "V007__quota_of_output.sql",
            "V008__skills.sql",
            "V009__tickets_of_logins.sql",
            "V010__senders.sql",
            "V011__turns.sql",
            "V012__cancelled_execs.sql");

    private static final String RECORD = "flyway_schema_history";

    private final DataSource source;
    private final String folder;
    private final String recordExists;

    private Schema(DataSource source, String folder, String recordExists) {
        this.source = source;
        this.folder = folder;
        this.recordExists = recordExists;
    }

    static Schema of(Connections connections) {
        return switch (connections) {
            case SqliteConnections sqlite ->
                new Schema(
                        sqlite.writer(),
                        "db/migration/sqlite",
                        "select 1 from sqlite_master where type = 'table' and name = '" + RECORD + "'");
            case PostgresConnections postgres ->
                new Schema(
                        postgres.pool(),
                        "db/migration/postgresql",
                        "select 1 where to_regclass('" + RECORD + "') is not null");
        };
    }

    /// Refuses a database that a newer gateway has written, and one whose past does not match ours.
    void bringUpToDate() throws SQLException {
        Map<Integer, Integer> done = done();
        NavigableMap<Integer, Integer> known = known();
        if (done.equals(known)) return;
        done.forEach((version, checksum) -> {
            if (version > known.lastKey())
                throw new Conflict(
                        "The database has been upgraded by a newer gateway (schema %d; this version knows %d)"
                                .formatted(version, known.lastKey()));
            if (!Objects.equals(known.get(version), checksum))
                throw new Conflict("The database's schema has another past than this gateway's: migration %d differs"
                        .formatted(version));
        });
        migrate();
    }

    /// Whether there is nothing to do.
    boolean isCurrent() throws SQLException {
        return done().equals(known());
    }

    /// Several gateways may come here at once: Flyway lets one of them work and the others wait.
    private void migrate() {
        try {
            Flyway.configure()
                    .dataSource(source)
                    .locations("classpath:" + folder)
                    .failOnMissingLocations(true)
                    .load()
                    .migrate();
        } catch (FlywayException e) {
            throw Failures.translate("migrate the schema", e);
        }
    }

    /// Versions that are in the database, each with the checksum that it had.
    private Map<Integer, Integer> done() throws SQLException {
        var done = new TreeMap<Integer, Integer>();
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            try (ResultSet exists = statement.executeQuery(recordExists)) {
                if (!exists.next()) return done;
            }
            try (ResultSet rows = statement.executeQuery(
                    "select version, checksum from " + RECORD + " where version is not null and success")) {
                while (rows.next()) done.put(Integer.parseInt(rows.getString(1)), rows.getInt(2));
            }
        }
        return done;
    }

    private NavigableMap<Integer, Integer> known() {
        var known = new TreeMap<Integer, Integer>();
        for (String name : MIGRATIONS) known.put(version(name), checksum(folder + "/" + name));
        return known;
    }

    private static int version(String name) {
        return Integer.parseInt(name.substring(1, name.indexOf("__")));
    }

    /// As Flyway counts it: CRC-32 of the lines without their ends.
    private static int checksum(String resource) {
        var crc = new CRC32();
        var stream = Objects.requireNonNull(Schema.class.getClassLoader().getResourceAsStream(resource), resource);
        try (var lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            lines.lines().forEach(line -> crc.update(line.getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return (int) crc.getValue();
    }
}
