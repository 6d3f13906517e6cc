package hermit.audit.sql;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.Racing;
import hermit.audit.Audit;
import hermit.audit.AuditEntry;
import hermit.audit.AuditFilter;
import hermit.audit.AuditRecord;
import hermit.audit.AuditVerification.Chain;
import hermit.config.DatabaseSettings;
import hermit.db.Database;
import hermit.db.TestDatabase;
import hermit.paging.PageRequest;
import hermit.world.TestWorld;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@EnumSource(TestDatabase.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class AuditStoreTest {
    private static final UUID GATEWAY = new UUID(0x1111_1111_1111_4111L, 0x8111_1111_1111_1111L);
    private static final UUID OTHER = new UUID(0x2222_2222_2222_4222L, 0x8222_2222_2222_2222L);
    private static final UUID AGENT = new UUID(7, 7);
    private static final Instant NOW = Instant.parse("2026-11-01T10:00:00.123456Z");

    private final TestDatabase kind;

    @TempDir
    Path directory;

    private DatabaseSettings settings;
    private Database database;
    private SqlAuditStore store;
    private Audit audit;

    AuditStoreTest(TestDatabase kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() {
        settings = kind.migrated(directory);
        database = Database.open(settings);
        store = new SqlAuditStore(database);
        audit = new Audit(store, GATEWAY, new TestWorld().world());
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void records_are_numbered_and_each_holds_the_digest_of_the_one_before() {
        var first = store.append(GATEWAY, entry(0));
        var second = store.append(GATEWAY, entry(1));
        var elsewhere = store.append(OTHER, entry(2));
        assertThat(first.number()).isEqualTo(1);
        assertThat(first.previousSha256()).isEqualTo(AuditRecord.NOTHING_BEFORE);
        assertThat(second.number()).isEqualTo(2);
        assertThat(second.previousSha256()).isEqualTo(first.sha256());
        assertThat(elsewhere.number()).isEqualTo(1);
        assertThat(store.after(GATEWAY, 0, 10)).containsExactly(first, second);
        assertThat(store.after(GATEWAY, 1, 10)).containsExactly(second);
        assertThat(audit.verify().chains())
                .containsExactly(new Chain(GATEWAY, 2, Optional.empty()), new Chain(OTHER, 1, Optional.empty()));
    }

    @Test
    void what_comes_back_from_the_database_is_what_was_digested() {
        var odd = new AuditEntry(
                Instant.parse("2026-11-01T10:00:00.123456789Z"),
                "user:ä",
                "::1",
                "execs.start",
                Optional.empty(),
                "/x?\0\ud800",
                "ok",
                "id",
                Map.of("command", "echo '\0\ud83d' \"ü\" \\ \u0007 </script> 🦀\n", "a", ""));
        var stored = store.append(GATEWAY, odd);
        assertThat(store.after(GATEWAY, 0, 1)).containsExactly(stored);
        assertThat(audit.verify().isIntact()).isTrue();
    }

    @Test
    void sixteen_at_once_make_one_chain() throws Exception {
        var racers = new ArrayList<Callable<AuditRecord>>();
        for (int i = 0; i < 16; i++) {
            var entry = entry(i);
            racers.add(() -> store.append(GATEWAY, entry));
        }
        var finish = Racing.of(racers);
        assertThat(finish.failures()).isEmpty();
        assertThat(finish.results())
                .extracting(AuditRecord::number)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(1, 16).boxed().toList());
        assertThat(audit.verify().chains()).containsExactly(new Chain(GATEWAY, 16, Optional.empty()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "update audit set who = 'nobody' where number = 3",
                "update audit set result = 'forbidden' where number = 3",
                "update audit set details = '{}' where number = 3",
                "update audit set agent_uid = null where number = 3",
                "update audit set sha256 = previous_sha256 where number = 3",
                "delete from audit where number = 3",
                "delete from audit where number >= 3"
            })
    void what_was_changed_or_taken_away_is_found(String tampering) throws Exception {
        for (int i = 0; i < 5; i++) store.append(GATEWAY, entry(i));
        TestDatabase.execute(settings, tampering);
        assertThat(audit.verify().isIntact()).isFalse();
        assertThat(audit.verify().chains().getFirst().firstBroken()).contains(3L);
    }

    @Test
    void a_chain_whose_last_record_was_taken_away_is_broken_there() throws Exception {
        for (int i = 0; i < 5; i++) store.append(GATEWAY, entry(i));
        TestDatabase.execute(settings, "delete from audit where number = 5");
        assertThat(audit.verify().chains().getFirst().firstBroken()).contains(5L);
    }

    @Test
    void what_is_old_is_pruned_in_pieces_and_the_rest_is_verified_still() {
        for (int i = 0; i < 10; i++) store.append(GATEWAY, entry(i));
        store.append(OTHER, entry(0));
        Instant sixth = NOW.plusSeconds(6);
        assertThat(store.prune(sixth, 4)).isEqualTo(5);
        assertThat(store.prune(sixth, 4)).isEqualTo(2);
        assertThat(store.prune(sixth, 4)).isZero();
        assertThat(store.after(GATEWAY, 0, 100)).extracting(AuditRecord::number).containsExactly(7L, 8L, 9L, 10L);
        assertThat(audit.verify().chains())
                .containsExactly(new Chain(GATEWAY, 4, Optional.empty()), new Chain(OTHER, 0, Optional.empty()));
        store.append(GATEWAY, entry(10));
        store.append(OTHER, entry(10));
        assertThat(audit.verify().isIntact()).isTrue();
    }

    @Test
    void more_than_was_pruned_cannot_be_taken_away() throws Exception {
        for (int i = 0; i < 5; i++) store.append(GATEWAY, entry(i));
        store.prune(NOW.plusSeconds(2), 10);
        TestDatabase.execute(settings, "delete from audit where number = 3");
        assertThat(audit.verify().chains().getFirst().firstBroken()).contains(3L);
    }

    @Test
    void all_of_a_long_chain_is_read() {
        for (int i = 0; i < 1_201; i++) store.append(GATEWAY, entry(i));
        assertThat(audit.verify().chains()).containsExactly(new Chain(GATEWAY, 1_201, Optional.empty()));
        int count = 0;
        for (var all = audit.all(); all.hasNext(); all.next()) count++;
        assertThat(count).isEqualTo(1_201);
    }

    @Test
    void the_newest_come_first_in_pieces_from_all_chains() {
        var one = store.append(GATEWAY, entry(0));
        var two = store.append(OTHER, entry(1));
        var three = store.append(GATEWAY, entry(1));
        var four = store.append(GATEWAY, entry(3));
        var first = store.list(AuditFilter.ALL, new PageRequest(Optional.empty(), 2));
        assertThat(first.items()).containsExactly(four, three);
        assertThat(first.next())
                .hasValueSatisfying(key -> assertThat(store.isKey(key)).isTrue());
        var second = store.list(AuditFilter.ALL, new PageRequest(first.next(), 2));
        assertThat(second.items()).containsExactly(two, one);
        assertThat(second.next()).isEmpty();
        assertThat(store.isKey("x 1 y")).isFalse();
    }

    @Test
    void they_are_found_by_agent_caller_action_and_time() {
        var here = store.append(
                GATEWAY,
                new AuditEntry(NOW, "user:1", "", "agents.delete", Optional.of(AGENT), "/", "ok", "", Map.of()));
        var start = store.append(
                GATEWAY,
                new AuditEntry(
                        NOW.plusSeconds(5), "user:2", "", "execs.start", Optional.of(AGENT), "/", "ok", "", Map.of()));
        var end = store.append(
                GATEWAY,
                new AuditEntry(
                        NOW.plusSeconds(9), "user:2", "", "execs.end", Optional.empty(), "/", "ok", "", Map.of()));
        assertThat(found(Optional.of(AGENT), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty()))
                .containsExactly(start, here);
        assertThat(found(Optional.empty(), Optional.of("user:2"), Optional.empty(), Optional.empty(), Optional.empty()))
                .containsExactly(end, start);
        assertThat(found(Optional.empty(), Optional.empty(), Optional.of("execs"), Optional.empty(), Optional.empty()))
                .containsExactly(end, start);
        assertThat(found(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of("execs.end"),
                        Optional.empty(),
                        Optional.empty()))
                .containsExactly(end);
        assertThat(found(Optional.empty(), Optional.empty(), Optional.of("exec"), Optional.empty(), Optional.empty()))
                .isEmpty();
        assertThat(found(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(NOW.plusSeconds(5)),
                        Optional.of(NOW.plusSeconds(9))))
                .containsExactly(start);
    }

    @Test
    void nothing_is_pruned_before_its_time() throws Exception {
        audit.record("admin", "", "agents.create", Optional.empty(), "/", "ok", "", Map.of());
        audit.prune(Duration.ofDays(1));
        assertThat(audit.verify().chains()).containsExactly(new Chain(GATEWAY, 1, Optional.empty()));
        audit.prune(Duration.ofSeconds(-1));
        assertThat(audit.verify().chains()).containsExactly(new Chain(GATEWAY, 0, Optional.empty()));
    }

    private List<AuditRecord> found(
            Optional<UUID> agent,
            Optional<String> who,
            Optional<String> action,
            Optional<Instant> since,
            Optional<Instant> until) {
        return store.list(new AuditFilter(agent, who, action, since, until), new PageRequest(Optional.empty(), 50))
                .items();
    }

    private static AuditEntry entry(int seconds) {
        return new AuditEntry(
                NOW.plusSeconds(seconds),
                "user:1",
                "10.0.0.1",
                "agents.create",
                Optional.of(AGENT),
                "/api/agents",
                "ok",
                "request-" + seconds,
                Map.of("status", "201"));
    }
}
