package hermit.db;

import static hermit.db.generated.Tables.AGENTS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.Racing;
import hermit.db.generated.tables.records.AgentsRecord;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jooq.DSLContext;
import org.jooq.Insert;
import org.jooq.JSONB;
import org.jooq.ResultQuery;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RepeatedTest {
    private static final Instant NOW = Instant.parse("2026-11-01T10:00:00.123456Z");
    private static final JSONB CONFIG = JSONB.valueOf("{\"a\": \"ü\"}");

    private static final Repeated<ResultQuery<AgentsRecord>> FIND =
            new Repeated<>((sql, value) -> sql.selectFrom(AGENTS).where(AGENTS.ID.eq(value.of(AGENTS.ID))));
    private static final Repeated<Insert<AgentsRecord>> INSERT =
            new Repeated<>((sql, value) -> sql.insertInto(AGENTS).set(value.ofEach(AGENTS.fields())));

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void each_run_has_values_of_its_own(TestDatabase kind) {
        try (var database = Database.open(kind.migrated(directory))) {
            database.write("test", sql -> insert(sql, agent("one", null)) + insert(sql, agent("two", NOW)));
            database.write("test", sql -> insert(sql, agent("three", null)));

            for (int turn = 0; turn < 2; turn++) {
                assertThat(find(database, "one")).containsExactly(agent("one", null));
                assertThat(find(database, "two")).containsExactly(agent("two", NOW));
                assertThat(find(database, "three")).containsExactly(agent("three", null));
                assertThat(find(database, "four")).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void what_another_connection_has_written_is_seen(TestDatabase kind) {
        try (var database = Database.open(kind.migrated(directory))) {
            assertThat(find(database, "one")).isEmpty();
            database.write("test", sql -> insert(sql, agent("one", null)));
            assertThat(find(database, "one")).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void one_that_failed_can_be_run_again_and_left_nothing_behind(TestDatabase kind) {
        try (var database = Database.open(kind.migrated(directory))) {
            AgentsRecord first = agent("one", null);
            assertThatThrownBy(() -> database.write("test", sql -> insert(sql, first) + insert(sql, first)))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(find(database, "one")).isEmpty();

            database.write("test", sql -> insert(sql, first));
            assertThat(find(database, "one")).containsExactly(first);
        }
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void many_at_once_do_not_get_into_each_others_way(TestDatabase kind) throws Exception {
        try (var database = Database.open(kind.migrated(directory))) {
            var work = new ArrayList<Callable<List<AgentsRecord>>>();
            for (int i = 0; i < 64; i++) {
                String id = "agent-" + i;
                work.add(() -> {
                    database.write("test", sql -> insert(sql, agent(id, null)));
                    return find(database, id);
                });
            }

            var finish = Racing.of(work);

            assertThat(finish.failures()).isEmpty();
            assertThat(finish.results())
                    .hasSize(64)
                    .allSatisfy(found -> assertThat(found).hasSize(1));
            assertThat(finish.results().stream().map(found -> found.getFirst().getId()))
                    .doesNotHaveDuplicates();
        }
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void a_value_too_many_or_too_few_is_a_mistake(TestDatabase kind) {
        try (var database = Database.open(kind.migrated(directory))) {
            assertThatThrownBy(() -> database.read(
                            "test", sql -> FIND.on(sql, "one", "two").fetch()))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> database.read("test", sql -> FIND.on(sql).fetch()))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static int insert(DSLContext sql, AgentsRecord agent) {
        return INSERT.on(sql, agent.intoArray()).execute();
    }

    private static List<AgentsRecord> find(Database database, String id) {
        return database.read("find", sql -> FIND.on(sql, id).fetch());
    }

    private static AgentsRecord agent(String id, @Nullable Instant deletedAt) {
        var agent = new AgentsRecord();
        agent.setUid(UUID.nameUUIDFromBytes(id.getBytes(StandardCharsets.UTF_8)));
        agent.setId(id);
        agent.setName(id);
        agent.setConfigJson(CONFIG);
        agent.setSecurityJson(CONFIG);
        agent.setVersion(1L);
        agent.setCreatedAt(NOW);
        agent.setUpdatedAt(NOW);
        agent.setDeletedAt(deletedAt);
        return agent;
    }
}
