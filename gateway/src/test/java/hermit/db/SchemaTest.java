package hermit.db;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.config.DatabaseSettings.Postgresql;
import hermit.config.DatabaseSettings.Sqlite;
import hermit.db.generated.DefaultSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class SchemaTest {
    /// What PostgreSQL calls the types that the generated classes know.
    private static final Map<String, String> TYPES = Map.ofEntries(
            Map.entry(SQLDataType.UUID.getTypeName(), "uuid"),
            Map.entry(SQLDataType.CLOB.getTypeName(), "text"),
            Map.entry(SQLDataType.JSONB.getTypeName(), "jsonb"),
            Map.entry(SQLDataType.BIGINT.getTypeName(), "bigint"),
            Map.entry(SQLDataType.INTEGER.getTypeName(), "integer"),
            Map.entry(SQLDataType.BOOLEAN.getTypeName(), "boolean"),
            Map.entry(SQLDataType.BLOB.getTypeName(), "bytea"),
            Map.entry(SQLDataType.INSTANT.getTypeName(), "timestamp with time zone"));

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgresql"})
    void every_migration_is_named_in_order_and_has_a_file_for_each_database(String folder) throws IOException {
        try (var files = Files.list(Path.of("src/main/resources/db/migration", folder))) {
            assertThat(files.map(file -> file.getFileName().toString()).sorted())
                    .isEqualTo(Schema.MIGRATIONS);
        }
        assertThat(Schema.MIGRATIONS).isSorted().allMatch(name -> name.matches("V\\d{3}__[a-z0-9_]+\\.sql"));
    }

    @Test
    void flyway_is_not_asked_when_its_record_says_that_there_is_nothing_to_do() throws SQLException {
        var file = (Sqlite) TestDatabase.SQLITE.fresh(directory);
        try (var sqlite = SqliteConnections.open(file.file())) {
            assertThat(Schema.of(sqlite).isCurrent()).isFalse();
            Schema.of(sqlite).bringUpToDate();
            assertThat(Schema.of(sqlite).isCurrent()).isTrue();
        }
        try (var postgres = PostgresConnections.open((Postgresql) TestDatabase.POSTGRESQL.fresh(directory))) {
            assertThat(Schema.of(postgres).isCurrent()).isFalse();
            Schema.of(postgres).bringUpToDate();
            assertThat(Schema.of(postgres).isCurrent()).isTrue();
        }
    }

    /// The classes are generated from SQLite's migrations; this is what keeps PostgreSQL's from drifting away.
    @Test
    void the_tables_of_postgresql_are_those_of_the_generated_classes() throws SQLException {
        var found = new TreeSet<String>();
        try (Connection connection = TestDatabase.connect(TestDatabase.POSTGRESQL.migrated(directory));
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "select table_name, column_name, data_type, is_nullable from information_schema.columns"
                                + " where table_schema = 'public' and table_name <> 'flyway_schema_history'")) {
            while (rows.next())
                found.add(describe(rows.getString(1), rows.getString(2), rows.getString(3), rows.getString(4)));
        }

        var generated = new TreeSet<String>();
        for (Table<?> table : DefaultSchema.DEFAULT_SCHEMA.getTables())
            for (Field<?> field : table.fields())
                generated.add(describe(
                        table.getName(),
                        field.getName(),
                        TYPES.getOrDefault(field.getDataType().getTypeName(), "unknown: " + field.getDataType()),
                        field.getDataType().nullable() ? "YES" : "NO"));
        assertThat(found).isNotEmpty().isEqualTo(generated);
    }

    @Test
    void the_indexes_of_both_are_the_same() throws SQLException {
        assertThat(indexes(
                        TestDatabase.POSTGRESQL,
                        "select indexname from pg_indexes where schemaname = 'public' and indexname not like '%_pkey'"
                                + " and tablename <> 'flyway_schema_history'"))
                .hasSizeGreaterThan(5)
                .isEqualTo(indexes(
                        TestDatabase.SQLITE,
                        "select name from sqlite_master where type = 'index' and sql is not null"
                                + " and tbl_name <> 'flyway_schema_history'"));
    }

    private List<String> indexes(TestDatabase kind, String query) throws SQLException {
        var names = new TreeSet<String>();
        try (Connection connection = TestDatabase.connect(kind.migrated(directory));
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) names.add(rows.getString(1));
        }
        return List.copyOf(names);
    }

    private static String describe(String table, String column, String type, String nullable) {
        return "%s.%s %s nullable=%s".formatted(table, column, type, nullable);
    }
}
