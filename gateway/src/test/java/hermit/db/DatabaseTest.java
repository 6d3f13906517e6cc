package hermit.db;

import static hermit.db.generated.Tables.AGENTS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import hermit.Racing;
import hermit.config.DatabaseSettings;
import hermit.config.DatabaseSettings.Postgresql;
import hermit.config.DatabaseSettings.Sqlite;
import hermit.config.Secret;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.Conflict;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Collections;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jooq.DSLContext;
import org.jooq.JSONB;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class DatabaseTest {
    private static final Instant NOW = Instant.parse("2026-11-01T10:00:00.123456Z");
    private static final JSONB EMPTY = JSONB.valueOf("{}");

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void what_is_written_is_there_after_a_restart(TestDatabase kind) {
        DatabaseSettings settings = kind.fresh(directory);
        try (var database = Database.open(settings)) {
            database.write("test", sql -> insert(sql, "main", EMPTY));
        }
        try (var database = Database.open(settings)) {
            assertThat(count(database)).isEqualTo(1);
            Set<Instant> times = database.read(
                    "test", sql -> sql.select(AGENTS.CREATED_AT).from(AGENTS).fetchSet(AGENTS.CREATED_AT));
            assertThat(times).containsExactly(NOW);
        }
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void a_write_happens_whole_or_not_at_all(TestDatabase kind) {
        try (var database = Database.open(kind.migrated(directory))) {
            var refusal = new Conflict("changed my mind");
            assertThatThrownBy(() -> database.write("test", sql -> {
                        insert(sql, "main", EMPTY);
                        throw refusal;
                    }))
                    .isSameAs(refusal);

            assertThat(count(database)).isZero();
            database.write("test", sql -> insert(sql, "main", EMPTY));
            assertThat(count(database)).isEqualTo(1);
        }
    }

    @Test
    void a_connection_that_cannot_roll_back_is_not_used_again() {
        try (var database = Database.open(TestDatabase.SQLITE.migrated(directory))) {
            database.write("test", sql -> sql.execute("create temporary table of_one_connection (word text)"));
            int rows = database.write("test", sql -> sql.fetchCount(DSL.table("of_one_connection")));
            assertThat(rows).isZero();
            var refusal = new Conflict("the transaction is over already");
            assertThatThrownBy(() -> database.write("test", sql -> {
                        sql.execute("rollback"); // as SQLite itself does when the disk is full
                        throw refusal;
                    }))
                    .isSameAs(refusal)
                    .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));

            assertThatThrownBy(() -> database.write("test", sql -> sql.fetchCount(DSL.table("of_one_connection"))))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("refused");
            database.write("test", sql -> insert(sql, "main", EMPTY));
            assertThat(count(database)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void writers_at_once_wait_for_each_other(TestDatabase kind) throws Exception {
        try (var database = Database.open(kind.migrated(directory))) {
            database.write("test", sql -> insert(sql, "main", EMPTY));
            Callable<Integer> increment = () -> database.write(
                    "test",
                    sql -> sql.update(AGENTS)
                            .set(AGENTS.VERSION, AGENTS.VERSION.plus(1))
                            .execute());

            var finish = Racing.of(Collections.nCopies(64, increment));

            assertThat(finish.failures()).isEmpty();
            Set<Long> versions = database.read(
                    "test", sql -> sql.select(AGENTS.VERSION).from(AGENTS).fetchSet(AGENTS.VERSION));
            assertThat(versions).containsExactly(65L);
        }
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void text_that_is_not_json_is_never_stored(TestDatabase kind) {
        try (var database = Database.open(kind.migrated(directory))) {
            assertThatThrownBy(
                            () -> database.write("make it", sql -> insert(sql, "main", JSONB.valueOf("{\"canary\": "))))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(count(database)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void a_mistake_of_our_own_names_the_attempt_and_shows_neither_statement_nor_value(TestDatabase kind) {
        try (var database = Database.open(kind.migrated(directory))) {
            Throwable failure = catchThrowable(
                    () -> database.read("count the canaries", sql -> sql.fetch("select 'canary-1' from nowhere")));

            assertThat(failure)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("count the canaries")
                    .message()
                    .doesNotContain("canary-1", "nowhere", "select");
        }
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void a_database_that_is_closed_is_unavailable_and_not_healthy(TestDatabase kind) {
        var database = Database.open(kind.migrated(directory));
        assertThat(database.health().up()).isTrue();
        assertThat(database.health().detail()).containsIgnoringCase(kind.name());

        database.close();

        assertThatThrownBy(() -> count(database))
                .isInstanceOf(BackendUnavailable.class)
                .hasMessageStartingWith("database: could not count")
                .message()
                .doesNotContain("select");
        assertThat(database.health().up()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void a_database_of_a_newer_gateway_is_refused(TestDatabase kind) throws Exception {
        DatabaseSettings settings = kind.migrated(directory);
        TestDatabase.execute(
                settings,
                "insert into flyway_schema_history (installed_rank, version, description, type, script, checksum,"
                        + " installed_by, execution_time, success) values (900, '900', 'x', 'SQL', 'V900__x.sql', 1, 'x',"
                        + " 1, " + (kind == TestDatabase.SQLITE ? "1" : "true") + ")");

        assertThatThrownBy(() -> Database.open(settings))
                .isInstanceOf(Conflict.class)
                .hasMessageContaining("newer gateway")
                .hasMessageContaining("900");
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void a_database_with_another_past_is_refused(TestDatabase kind) throws Exception {
        DatabaseSettings settings = kind.migrated(directory);
        TestDatabase.execute(settings, "update flyway_schema_history set checksum = 1");

        assertThatThrownBy(() -> Database.open(settings))
                .isInstanceOf(Conflict.class)
                .hasMessageContaining("migration 1 differs");
    }

    @Test
    void a_second_gateway_on_one_file_is_refused_until_the_first_has_gone() {
        var settings = (Sqlite) TestDatabase.SQLITE.fresh(directory);
        try (var _ = Database.open(settings)) {
            assertThatThrownBy(() -> Database.open(settings))
                    .isInstanceOf(Conflict.class)
                    .hasMessageContaining("Another gateway")
                    .hasMessageContaining(Long.toString(ProcessHandle.current().pid()));
        }
        Database.open(settings).close();
    }

    @Test
    void a_file_under_another_name_of_its_directory_is_the_same_file() throws Exception {
        Path link =
                Files.createSymbolicLink(directory.resolve("link"), Files.createDirectory(directory.resolve("real")));
        try (var _ = Database.open(new Sqlite(directory.resolve("real/hermit.db")))) {
            assertThatThrownBy(() -> Database.open(new Sqlite(link.resolve("hermit.db"))))
                    .isInstanceOf(Conflict.class);
        }
    }

    @Test
    void the_files_of_sqlite_are_readable_by_nobody_else() throws Exception {
        var settings = (Sqlite) TestDatabase.SQLITE.fresh(directory);
        try (var database = Database.open(settings)) {
            database.write("test", sql -> insert(sql, "main", EMPTY));
            try (var files = Files.list(directory)) {
                assertThat(files)
                        .hasSizeGreaterThanOrEqualTo(4)
                        .allSatisfy(file -> assertThat(mode(file)).isEqualTo("rw-------"));
            }
        }
    }

    @Test
    void the_reading_door_of_sqlite_does_not_write() {
        try (var database = Database.open(TestDatabase.SQLITE.migrated(directory))) {
            assertThatThrownBy(() -> database.read("test", sql -> insert(sql, "main", EMPTY)))
                    .isInstanceOf(RuntimeException.class);
            assertThat(count(database)).isZero();
        }
    }

    @Test
    void gateways_that_start_at_once_on_an_empty_postgresql_all_come_up() throws Exception {
        DatabaseSettings settings = TestDatabase.POSTGRESQL.fresh(directory);
        Callable<Database> start = () -> Database.open(settings);

        var finish = Racing.of(Collections.nCopies(3, start));

        finish.results().forEach(Database::close);
        assertThat(finish.failures()).isEmpty();
    }

    @Test
    void a_server_that_is_not_there_is_named_without_its_password() throws Exception {
        int nobody;
        try (var socket = new ServerSocket(0)) {
            nobody = socket.getLocalPort();
        }
        var settings =
                new Postgresql("jdbc:postgresql://127.0.0.1:" + nobody + "/hermit", "hermit", new Secret("canary"));

        assertThatThrownBy(() -> Database.open(settings))
                .isInstanceOf(BackendUnavailable.class)
                .hasMessageContaining("127.0.0.1:" + nobody)
                .message()
                .doesNotContain("canary");
    }

    private static int insert(DSLContext sql, String id, JSONB config) {
        return sql.insertInto(AGENTS)
                .set(AGENTS.UID, UUID.nameUUIDFromBytes(new byte[] {1}))
                .set(AGENTS.ID, id)
                .set(AGENTS.NAME, id)
                .set(AGENTS.CONFIG_JSON, config)
                .set(AGENTS.SECURITY_JSON, EMPTY)
                .set(AGENTS.VERSION, 1L)
                .set(AGENTS.CREATED_AT, NOW)
                .set(AGENTS.UPDATED_AT, NOW)
                .execute();
    }

    private static int count(Database database) {
        return database.read("count the agents", sql -> sql.fetchCount(AGENTS));
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }
}
